import { describe, expect, test } from "bun:test";
import { metricSearch, recordsSearch } from "./metric-search.ts";
import { endOfStep, hours, money, recordLine } from "./metric-words.ts";

describe("the address of a screen", () => {
  test("keeps what is valid and drops the rest", () => {
    expect(metricSearch({ days: "90", suite: 42 })).toEqual({
      days: 90,
      suite: "42",
      branch: undefined,
      model: undefined,
    });
    expect(metricSearch({ days: 8, suite: "" }).days).toBeUndefined();
    const found = recordsSearch({ since: "2026-13-40", until: "2026-11-16", which: "all", by: "me", case: "a b" });
    expect(JSON.parse(JSON.stringify(found))).toEqual({ until: "2026-11-16", case: "a b" });
  });
});

test("times, money and weeks", () => {
  expect([0.5, 5, 72, null].map(hours)).toEqual(["30 min", "5.0 h", "3.0 d", "–"]);
  expect([0, 0.012, 12.5, 1234.5, null].map(money)).toEqual(["$0.00", "$0.0120", "$12.50", "$1,235", "–"]);
  expect([endOfStep("2026-11-16", "day"), endOfStep("2026-11-16", "week")]).toEqual(["2026-11-16", "2026-11-22"]);
});

test("every kind of record is one line, also where its facts are missing", () => {
  const line = (kind: string, facts: Record<string, string | number | null> = {}) => recordLine({ kind, facts });
  expect(line("eval_run", { suite: "mail", passed: 9, total: 10, branch: "main" })).toBe(
    "mail: 9 of 10 passed on main",
  );
  expect(line("ship_log", { version: "1.2", branch: "main", commits: 1 })).toBe("1.2 from main, 1 commit");
  expect(line("qa_report", { url: "https://x", score: null, issues: 2 })).toBe("https://x: not scored, 2 issues");
  expect(line("review_triage", { category: "race", file: "a.ts", outcome: "fp" })).toBe("race in a.ts: false alarm");
  expect(line("retro_snapshot", { window: "7d", line: null })).toBe("of 7d");
  expect(line("ship_log", { version: "1.2", branch: "a\u202eb" })).toBe("1.2 from a[U+202E]b");
  expect(line("transcript", {})).toBe("");
});
