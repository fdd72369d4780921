import { describe, expect, test } from "bun:test";
import type { EvalWatch, EvalWatchDelta, EvalWatchRow } from "@devflow/protocol";
import { caseSearch, costSearch, evalsSearch, parsePlace, placeText, resultsSearch } from "./eval-search.ts";
import {
  agreementLevel,
  milliseconds,
  moneyText,
  passLevel,
  percent,
  points,
  pValue,
  runWord,
  scoreLevel,
  shellWord,
  signed,
  stateName,
  usd,
} from "./eval-words.ts";
import { rangeOf, scaleTo, ticksOf } from "./scale.ts";
import { applyWatch, type WatchView } from "./watch-state.ts";

describe("words", () => {
  test("100 % and 0 % are shown only when exact", () => {
    expect([percent(1), percent(0.9999), percent(0.973), percent(0.0001), percent(0), percent(null)]).toEqual([
      "100 %",
      "> 99.9 %",
      "97.3 %",
      "< 0.1 %",
      "0 %",
      "–",
    ]);
  });

  test("differences have a sign, and zero is never −0", () => {
    expect([points(-0.161), points(0.02), signed(-0.0001, 2), signed(0, 1)]).toEqual([
      "−16.1 points",
      "+2.0 points",
      "±0.00",
      "±0.0",
    ]);
  });

  test("money has cents from a dollar up and four decimals below; calls without a price are marked and not summed", () => {
    expect([usd(12.345), usd(0.0123), usd(0), usd(null)]).toEqual(["$12.35", "$0.0123", "$0.00", "unknown"]);
    expect(moneyText({ actualUsd: 1, estimatedUsd: 0.5, unpricedCalls: 0 })).toBe("$1.50");
    expect(moneyText({ actualUsd: 0, estimatedUsd: 0.5, unpricedCalls: 3 })).toBe("≈ $0.5000 + ?");
    expect(moneyText({ actualUsd: 0, estimatedUsd: 0, unpricedCalls: 3 })).toBe("not priced");
    expect(moneyText({ actualUsd: 0, estimatedUsd: 0, unpricedCalls: 0 })).toBe("–");
  });

  test("times, p-values, states and shell words", () => {
    expect([milliseconds(950), milliseconds(4_200), milliseconds(125_000), milliseconds(null)]).toEqual([
      "950 ms",
      "4.2 s",
      "2 min 05 s",
      "–",
    ]);
    expect([pValue(0.00001), pValue(0.0251)]).toEqual(["p < 0.001", "p = 0.025"]);
    expect([stateName("commit:7777c0ffee00"), stateName("a/b/ci-1")]).toEqual(["7777c0ffee", "ci-1"]);
    expect([shellWord("billing"), shellWord("it's $HOME")]).toEqual(["billing", "'it'\\''s $HOME'"]);
  });

  test("levels are words; scores are judged on the scale they seem to use", () => {
    expect([1, 0.96, 0.8, 0.5, 0.2, 0].map((rate) => passLevel(rate).word)).toEqual([
      "all",
      "nearly all",
      "most",
      "about half",
      "few",
      "none",
    ]);
    expect([scoreLevel(0.9, 1), scoreLevel(3.6, 5), scoreLevel(50, 100)].map(({ word }) => word)).toEqual([
      "high",
      "fair",
      "low",
    ]);
    expect([0.81, 0.7, 0.5, null].map((alpha) => agreementLevel(alpha).word)).toEqual([
      "reliable",
      "tentative",
      "too low to gate",
      "no variation",
    ]);
  });

  test("a run with errors but no failures is not called failed", () => {
    const word = (failed: number, errors: number, total = 10) =>
      runWord({ passed: total - failed - errors, failed, errors, total }).word;
    expect([word(0, 0), word(2, 1), word(0, 1), word(0, 0, 0)]).toEqual([
      "All passed",
      "2 failed, 1 error",
      "1 error",
      "Empty",
    ]);
  });
});

describe("search parameters", () => {
  test("invalid values are dropped, and names that look like numbers are kept", () => {
    expect(evalsSearch({ suite: 42, failed: "maybe", tier: ["x"] })).toMatchObject({ suite: "42", failed: undefined });
    expect(resultsSearch({ status: "fail,nonsense", sort: "-rm", page: -1 })).toMatchObject({
      status: "fail",
      sort: undefined,
      page: undefined,
    });
    expect(resultsSearch({ sort: "-duration", page: "3" })).toMatchObject({ sort: "-duration", page: 3 });
    expect(costSearch({ days: 1e9 }).days).toBeUndefined();
    expect(caseSearch({ a: "" }).a).toBeUndefined();
  });

  test("a place survives a round trip whatever the run's name", () => {
    const place = { run: "a@b/3@c d", ordinal: 12 };
    expect(parsePlace(placeText(place))).toEqual(place);
    expect([parsePlace("x@run"), parsePlace("3@"), parsePlace(undefined)]).toEqual([undefined, undefined, undefined]);
  });
});

describe("charts", () => {
  test("ticks are round and stay within the range", () => {
    expect(ticksOf(0.74, 1)).toEqual([0.75, 0.8, 0.85, 0.9, 0.95, 1].map((tick) => expect.closeTo(tick, 9)));
    expect(ticksOf(0, 0)).toEqual([0]);
  });

  test("a range has the minimum width and stays within its bounds", () => {
    expect(rangeOf([0.98, 1], { least: 0.2, within: [0, 1] })).toEqual([expect.closeTo(0.8, 9), 1]);
    expect(rangeOf([0.742, 0.993], { least: 0.2, within: [0, 1], roundTo: 0.05 })).toEqual([expect.closeTo(0.7, 9), 1]);
    expect(rangeOf([], { least: 0.2, within: [0, 1] })).toEqual([0, 1]);
    expect(scaleTo([0, 10], [100, 0])(2.5)).toBe(75);
  });
});

describe("watching", () => {
  const row = (no: number, name: string): EvalWatchRow => ({
    ...{ no, name, category: null, status: "pass", repeat: 0, durationMs: null, usd: null, score: null },
    ...{ problem: null, worker: 1, variant: null },
  });
  const run: EvalWatch = {
    budgetUsd: null,
    ...{ suite: "s", runId: "r", label: "l", tier: "fast", seq: 1, state: "running", done: 1, expected: 4 },
    ...{ startedAt: "2026-01-01T00:00:00.000Z", updatedAt: "2026-01-01T00:00:00.000Z", eta: null, warnings: [] },
    tally: { total: 1, passed: 1, failed: 0, errors: 0, skipped: 0 },
    cost: { actualUsd: 0, estimatedUsd: 0, unpricedCalls: 0 },
    workers: [
      { pid: 1, state: "running", results: 1, expected: 4, running: "b", updatedAt: "2026-01-01T00:00:00.000Z" },
    ],
    rows: [row(0, "a")],
  };
  const delta = (given: Partial<EvalWatchDelta>): string => {
    const { suite: _suite, runId: _run, label: _label, tier: _tier, startedAt: _at, ...rest } = run;
    return JSON.stringify({ ...rest, workers: [], rows: [], ...given });
  };
  const watching: WatchView = { is: "watching", run };

  test("a delta adds rows on top and changes only the workers it names", () => {
    const dead = { ...run.workers[0]!, state: "dead" as const };
    const other = { ...run.workers[0]!, pid: 2 };
    const next = applyWatch(watching, "delta", delta({ seq: 2, done: 2, rows: [row(1, "b")], workers: [dead, other] }));
    expect(next).toMatchObject({ is: "watching", run: { seq: 2, done: 2, workers: [dead, other] } });
    expect(next.is === "watching" && next.run.rows.map(({ name }) => name)).toEqual(["b", "a"]);
  });

  test("a case reported twice is one row", () => {
    const next = applyWatch(watching, "delta", delta({ rows: [row(1, "a")] }));
    expect(next.is === "watching" && next.run.rows.map(({ no }) => no)).toEqual([1]);
  });

  test("invalid data changes nothing, and a delta without a snapshot is not shown", () => {
    expect(applyWatch(watching, "delta", "{")).toBe(watching);
    expect(applyWatch(watching, "snapshot", "{}")).toBe(watching);
    expect(applyWatch({ is: "unknown" }, "delta", delta({}))).toEqual({ is: "unknown" });
    expect(applyWatch(watching, "nothing", "{}")).toEqual({ is: "nothing" });
  });
});
