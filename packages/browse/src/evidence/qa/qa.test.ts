import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@devflow/testkit";
import { categories, Finding, findingKey, type Severity } from "./finding.ts";
import { healthScore, weights } from "./health-score.ts";
import type { Observed } from "./observed.ts";
import { makeReport, type ReportInput, reportMarkdown } from "./qa-report.ts";
import { type ResultSink, readBaseline, writeReport } from "./write-report.ts";

const finding = (severity: Severity, change: Partial<Finding> = {}): Finding =>
  Finding.parse({ title: "The button does nothing", severity, category: "functional", ...change });
const observed = (change: Partial<Observed> = {}): Observed => ({
  commands: 9,
  pages: ["http://a.test/"],
  consoleErrors: [],
  failedRequests: [],
  withoutEffect: [],
  vitals: [],
  comparisons: [],
  used: new Set(["goto", "accessibility", "vitals"]),
  ...change,
});

const compared = {
  page: "http://a.test/",
  baseline: "cart.png",
  same: true,
  percent: 0,
  isOtherSize: false,
  picture: null,
};

describe("the health score", () => {
  test("has weights that add up to 100", () => {
    expect(Object.values(weights).reduce((sum, one) => sum + one)).toBe(100);
  });

  const rows: [what: string, findings: Finding[], seen: Observed | undefined, score: number | undefined][] = [
    ["everything tested, nothing found", [], observed(), 100],
    ["a critical finding in a category of weight 25", [finding("critical")], observed(), 90],
    ["three critical findings: a category cannot fall below 0", Array(3).fill(finding("critical")), observed(), 75],
    ["a fixed finding", [finding("critical", { fixed: true })], observed(), 100],
    ["console errors that were not reported", [], observed({ consoleErrors: ["a", "b", "c"] }), 93],
    [
      "an error both reported and seen counts once",
      [finding("high", { category: "console" })],
      observed({ consoleErrors: ["a"] }),
      96,
    ],
    ["failed requests", [], observed({ failedRequests: ["a", "b"] }), 98],
    [
      "a page that differs from its picture",
      [],
      observed({ comparisons: [{ ...compared, same: false }, compared] }),
      98,
    ],
    ["a slow page", [], observed({ vitals: [{ lcp: 5000, cls: 0.3, inp: 300 }] }), 91],
    ["accessibility and speed not tested", [], observed({ used: new Set(["goto"]) }), 100],
    ["no evidence, no findings", [], undefined, undefined],
  ];
  for (const [what, findings, seen, score] of rows) {
    test(`${what}: ${score ?? "none"}`, () => expect(healthScore(findings, seen).total).toBe(score));
  }

  test("lists what was not tested", () => {
    expect(healthScore([], observed({ used: new Set(["goto"]) })).untested).toEqual(["accessibility", "performance"]);
    expect(healthScore([], undefined).untested).toEqual([...categories]);
  });
});

const input = (change: Partial<ReportInput> = {}): ReportInput => ({
  id: "20260102T030405",
  at: new Date("2026-01-02T03:04:05Z"),
  url: "http://127.0.0.1:4000/",
  commit: "c".repeat(40),
  branch: "main",
  changedFiles: 0,
  evidence: { bundle: ".devflow/evidence/b", head: "a".repeat(64), commands: 9 },
  findings: [],
  observed: observed(),
  baseline: undefined,
  ...change,
});

describe("a report", () => {
  test("is compared with the baseline by what and where a fault is, not by its wording", () => {
    const before = makeReport(
      input({ findings: [finding("high", { url: "http://127.0.0.1:1/a" }), finding("low", { title: "Old" })] }),
    );
    const same = finding("medium", { title: "the button does nothing!", url: "http://127.0.0.1:2/a?x=1" });
    const now = makeReport(input({ findings: [same, finding("low", { title: "Young" })], baseline: before }));
    expect(now.baseline).toMatchObject({ score: 94, gone: ["Old"], fresh: ["Young"] });
    expect(findingKey(same)).toBe("functional /a the button does nothing");
  });

  test("escapes text from pages, and names the command that replays the evidence", () => {
    const hostile = "</h1><script>x</script>\n# Heading `code` [link](javascript:x)";
    const text = reportMarkdown(makeReport(input({ findings: [finding("low", { title: hostile, actual: hostile })] })));
    expect(text).not.toMatch(/^# Heading/m);
    expect(text).not.toContain("<script>");
    expect(text).toContain(`devflow browse verify .devflow/evidence/b --head ${"a".repeat(64)}`);
    expect(reportMarkdown(makeReport(input({ evidence: null })))).toContain("nothing in this report is proven");
  });

  test("is written to files first, then sent with an id that stays the same", async () => {
    const folder = temporaryFolder("reports");
    const report = makeReport(input());
    const got: Parameters<ResultSink["accept"]>[0][] = [];
    const sink: ResultSink = {
      accept: async (record) => {
        // The files exist by then.
        expect(existsSync(join(folder, report.id, "report.json"))).toBe(true);
        got.push(record);
      },
    };
    const { json, markdown } = await writeReport(report, { folder, sink });
    await writeReport(report, { folder, sink });
    expect(got.map(({ kind, report: one }) => [kind, one])).toEqual([
      ["qa_report", report],
      ["qa_report", report],
    ]);
    expect(got[0]?.id).toBe(got[1]?.id ?? "");
    expect(JSON.parse(readFileSync(json, "utf8"))).toEqual(report);
    expect(readFileSync(markdown, "utf8")).toBe(reportMarkdown(report));
  });

  test("is compared with the saved baseline of its site, else with its newest report; local ports do not matter", async () => {
    const folder = temporaryFolder("reports");
    expect(readBaseline(folder, "http://localhost:1/")).toBeUndefined();
    await writeReport(makeReport(input({ id: "1" })), { folder });
    await writeReport(makeReport(input({ id: "2" })), { folder });
    await writeReport(makeReport(input({ id: "3", url: "https://other.test/" })), { folder });
    expect(readBaseline(folder, "http://localhost:9999/x")?.id).toBe("2");
    await writeReport(makeReport(input({ id: "1" })), { folder, saveBaseline: true });
    expect(readBaseline(folder, "http://localhost:9999/x")?.id).toBe("1");
    expect(readBaseline(folder, "https://other.test/")?.id).toBe("3");
  });
});
