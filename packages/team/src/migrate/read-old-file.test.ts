/** Files of older tools, as they are found on machines. */
import { expect, test } from "bun:test";
import { parseJson } from "@devflow/core/read-if-there";
import { belongsTo, type OldFile, type OldSort } from "./old-files.ts";
import { readOldFile, standardEvalFile } from "./read-old-file.ts";

const repo = "github.com/acme/shop";
const file = (sort: OldSort, path: string, slug: string | null = null): OldFile => ({ sort, path, slug });
const read = (sort: OldSort, content: unknown, path = "x.json") =>
  readOldFile(file(sort, path), typeof content === "string" ? content : JSON.stringify(content), repo);

test("a repository is known by owner and name, however they were joined", () => {
  expect(
    ["acme/shop", "acme-shop", "Acme-Shop", "shop", "other/shop", "acme-shop2", ""].map((slug) =>
      belongsTo(repo, slug),
    ),
  ).toEqual([true, true, true, true, false, false, false]);
  expect(belongsTo(null, "shop")).toBe(false);
});

test("lines of judged findings: this repository's are taken, others counted, wrong ones named", () => {
  const history = [
    "# Greptile history",
    "2026-03-13 | acme/shop | fp | src/*.ts | null-check",
    "2026-03-14 | acme/blog | fix | a.rb | security",
    "",
    "2026-03-15 | acme/shop | maybe | a.rb | security",
    "no bars at all",
  ].join("\n");
  expect(read("triage", history)).toEqual({
    records: [
      {
        what: "triage",
        payload: {
          date: "2026-03-13",
          outcome: "fp",
          file_pattern: "src/*.ts",
          category: "null-check",
          reviewer: "greptile",
        },
      },
    ],
    elsewhere: 1,
    counted: 0,
    unread: ["line 5: outcome is not valid", "line 6: date is not valid"],
  });
});

test("a retro without a window, or with its day only in its name, is one of seven days", () => {
  const metrics = { commits: 47 };
  expect(read("retro", { metrics, tweetable: "a week" }, "/r/2026-03-08-1.json").records).toEqual([
    { what: "retro", payload: { date: "2026-03-08", window: "7d", metrics, tweetable: "a week" } },
  ]);
  expect(read("retro", "{ broken").unread).toEqual(["it is not JSON"]);
  expect(read("retro", { metrics }, "retro.json").unread[0]).toStartWith("date:");
});

test("QA reports come from their numbers, or from the text", () => {
  const baseline = { date: "2026-03-12", url: "http://localhost:3000", healthScore: 72, issues: [{ id: "ISSUE-001" }] };
  expect(read("qa", baseline, "baseline.json").records).toEqual([
    {
      what: "qa",
      payload: {
        date: "2026-03-12",
        url: "http://localhost:3000",
        mode: "full",
        health_score: 72,
        issues: [{ id: "ISSUE-001" }],
      },
    },
  ]);
  const report =
    "# QA Report\n\n| **URL** | https://staging.example.com |\n| **Mode** | Quick |\n\n## Health Score: 88/100\n";
  expect(read("qa", report, "qa-report.md").records).toMatchObject([
    { payload: { url: "https://staging.example.com", mode: "quick", health_score: 88 } },
  ]);
  expect(read("qa", "# Notes\n", "notes.md").unread).toEqual(["the report names no URL"]);
});

test("the old queue: rows become records, what has its own file or needs consent is counted", () => {
  const queue = [
    {
      table: "ship_logs",
      data: { team_id: "t", repo_slug: "acme-shop", version: "1.2.0", branch: "main" },
      retries: 3,
    },
    { table: "ship_logs", data: { repo_slug: "acme-blog", version: "1", branch: "main" } },
    {
      table: "greptile_triage",
      data: { repo: "acme/shop", date: "2026-03-13", triage_type: "fix", file_pattern: "*", category: "x" },
    },
    { table: "eval_runs", data: {} },
    { table: "qa_reports", data: { repo_slug: "acme-shop" } },
  ];
  const { records, ...rest } = read("queue", queue);
  expect(records.map(({ payload }) => payload)).toEqual([
    { version: "1.2.0", branch: "main" },
    { date: "2026-03-13", file_pattern: "*", category: "x", outcome: "fix", reviewer: "greptile" },
  ]);
  expect(rest).toMatchObject({ elsewhere: 1, counted: 1 });
  expect(rest.unread[0]).toStartWith("a row of qa_reports: url:");
  expect(read("queue", { not: "a list" }).unread).toEqual(["it is not a list of rows"]);
  // One that is broken takes no other along.
  const mixed = read("queue", [null, { table: "ship_logs", data: { version: "1.0", branch: "main" } }, { table: 5 }]);
  expect(mixed.records.length).toBe(1);
  expect(mixed.unread).toEqual(["row 1: it has no table and data", "row 3: it has no table and data"]);
});

test("timelines and learnings are counted; those of other repositories too", () => {
  const lines = '{"skill":"ship"}\n{"skill":"qa"}\n';
  expect(readOldFile(file("learnings", "l", "acme-shop"), lines, repo)).toMatchObject({ counted: 2, elsewhere: 0 });
  expect(readOldFile(file("timeline", "t", "acme-blog"), lines, repo)).toMatchObject({ counted: 0, elsewhere: 2 });
});

test("a file of the test collector becomes one of the standard format, with the same id each time", () => {
  const collected = {
    ...{
      schema_version: 1,
      version: "0.3.9",
      branch: "main",
      git_sha: "abc123",
      timestamp: "2026-03-15T10:30:00Z",
      hostname: "mac",
    },
    ...{ tier: "e2e", total_tests: 2, passed: 1, failed: 1, total_cost_usd: 0.5, total_duration_ms: 2000 },
    tests: [
      { name: "browses", suite: "browse", tier: "e2e", passed: true, duration_ms: 1000, cost_usd: 0.3 },
      { name: "ships", suite: "browse", tier: "e2e", passed: false, duration_ms: 1000, cost_usd: 0.2, error: "late" },
    ],
  };
  const text = JSON.stringify(collected);
  const standard = parseJson(standardEvalFile(text)) as Record<string, unknown>;
  expect(standard).toMatchObject({
    suite: "browse",
    tier: "e2e",
    git_branch: "main",
    host: "mac",
    duration_seconds: 2,
    source: "gstack",
  });
  expect((standard.all_results as unknown[])[0]).toEqual({
    ...{ name: "browses", passed: true, duration_ms: 1000, category: "browse" },
    usage: [{ model: "unknown", calls: 1, cost_usd: 0.3 }],
  });
  expect(standardEvalFile(text)).toBe(standardEvalFile(text));
  const already = JSON.stringify({ suite: "s", results: [{ name: "a", passed: true }] });
  expect(standardEvalFile(already)).toBe(already);
});
