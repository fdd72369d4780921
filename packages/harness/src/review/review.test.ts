import { describe, expect, test } from "bun:test";
import { type Severity, type VerifierStatus, verifierStatuses } from "@devflow/core/enums";
import { type Finding, findingKey, type ReportedFinding } from "./finding.ts";
import { mergeBatches } from "./merge-batches.ts";
import { isBlocking, isDisputed, reviewOutcome } from "./review-outcome.ts";

const leak: ReportedFinding = {
  severity: "high",
  category: "security",
  file: "src/login.ts",
  line: 40,
  summary: "The password is logged",
  evidence: "console.log(password)",
};

describe("the key of a finding", () => {
  test("ignores differences in style", () => {
    for (const other of [
      { ...leak, summary: "  the  Password is logged. " },
      { ...leak, summary: "The `password` is logged!" },
      { ...leak, file: "./src/login.ts" },
      { ...leak, file: "src\\login.ts" },
      { ...leak, file: "b/src/login.ts" },
      { ...leak, severity: "low" as const, evidence: "another" },
    ]) {
      expect(findingKey(other)).toBe(findingKey(leak));
    }
  });

  test("differs by file, line, category and subject", () => {
    const others = [
      { ...leak, file: "src/logout.ts" },
      { ...leak, file: undefined },
      { ...leak, line: 41 },
      { ...leak, line: null },
      { ...leak, category: "style" as const },
      { ...leak, summary: "The password is not logged" },
    ];
    expect(new Set([leak, ...others].map(findingKey)).size).toBe(others.length + 1);
  });

  test("exists for malformed text too", () => {
    expect(findingKey({ ...leak, summary: "\uD800", file: "\uDC00" })).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe("merging the batches of several reviewers", () => {
  const other = {
    ...leak,
    severity: "critical" as const,
    line: 42,
    summary: "the password is logged.",
    evidence: null,
  };

  test("the same finding is listed once, with everyone who reported it and the highest severity", () => {
    const merged = mergeBatches([
      { reviewer: "reviewer#0", findings: [leak] },
      { reviewer: "reviewer#1", findings: [other] },
    ]);
    expect(merged).toEqual([
      {
        key: findingKey(leak),
        reviewer: "reviewer#0",
        alsoBy: ["reviewer#1"],
        severity: "critical",
        severities: { "reviewer#0": "high", "reviewer#1": "critical" },
        category: "security",
        file: "src/login.ts",
        line: 40,
        summary: "the password is logged.",
        evidence: "console.log(password)",
        verifierStatus: "unverified",
      },
    ]);
  });

  test("the order of the batches changes no key", () => {
    const batches = [
      { reviewer: "a", findings: [leak, { ...leak, line: 90 }] },
      { reviewer: "b", findings: [other, { ...leak, file: undefined, line: undefined }] },
    ];
    const keys = (list: Finding[]) => list.map(({ key }) => key).sort();
    expect(keys(mergeBatches(batches))).toEqual(keys(mergeBatches(batches.toReversed())));
    expect(mergeBatches(batches)).toHaveLength(3);
  });

  test("a reviewer who repeats a finding does not count twice", () => {
    const merged = mergeBatches([{ reviewer: "a", findings: [leak, leak, { ...leak, severity: "low" }] }]);
    expect(merged).toMatchObject([{ reviewer: "a", alsoBy: [], severities: { a: "high" } }]);
  });

  test("a chain of neighbouring lines does not become one finding", () => {
    const lines = [10, 12, 14, 16, 18].map((line) => ({ ...leak, line }));
    expect(mergeBatches([{ reviewer: "a", findings: lines }]).map(({ line }) => line)).toEqual([10, 14, 18]);
  });

  test("the most severe come first, then by file and line", () => {
    const findings = [
      { ...leak, severity: "low" as const, file: "b.ts" },
      { ...leak, file: "z.ts" },
      { ...leak, file: "a.ts", line: 100 },
      { ...leak, file: "a.ts", line: 2 },
    ];
    const merged = mergeBatches([{ reviewer: "a", findings }]);
    expect(merged.map(({ file, line }) => `${file}:${line}`)).toEqual(["a.ts:2", "a.ts:100", "z.ts:40", "b.ts:40"]);
  });

  test("no batches give no findings", () => {
    expect(mergeBatches([])).toEqual([]);
    expect(mergeBatches([{ reviewer: "a", findings: [] }])).toEqual([]);
  });
});

describe("what a review means", () => {
  const judged = (verifierStatus: VerifierStatus, ...levels: Severity[]) => {
    const batches = levels.map((severity, index) => ({ reviewer: `r${index}`, findings: [{ ...leak, severity }] }));
    const [finding] = mergeBatches(batches);
    return { ...(finding as Finding), verifierStatus };
  };

  const table: readonly (readonly [VerifierStatus, readonly Severity[], "blocking" | "disputed" | "open" | "none"])[] =
    [
      ["confirmed", ["high"], "blocking"],
      ["confirmed", ["critical"], "blocking"],
      ["confirmed", ["low", "critical"], "blocking"],
      ["confirmed", ["medium"], "open"],
      ["confirmed", ["info"], "open"],
      ["unverified", ["critical"], "open"],
      ["unverified", ["high", "critical"], "open"],
      ["unverified", ["medium", "critical"], "disputed"],
      ["unverified", ["info", "medium"], "disputed"],
      ["unverified", ["low", "medium", "high"], "disputed"],
      ["rejected", ["high", "critical"], "disputed"],
      ["rejected", ["high", "high", "low"], "disputed"],
      ["rejected", ["critical"], "none"],
      ["rejected", ["high", "medium"], "none"],
      ["rejected", ["info", "critical"], "none"],
    ];

  test.each(table)("%s, severities %p: %s", (status, levels, expected) => {
    const finding = judged(status, ...levels);
    const lists = reviewOutcome([finding]);
    expect({ blocking: isBlocking(finding), disputed: isDisputed(finding) }).toEqual({
      blocking: expected === "blocking",
      disputed: expected === "disputed",
    });
    expect(Object.entries(lists).flatMap(([name, list]) => (list.length > 0 ? [name] : []))).toEqual(
      expected === "none" ? [] : [expected],
    );
  });

  test("every verifier status has its row", () => {
    expect(new Set(table.map(([status]) => status))).toEqual(new Set(verifierStatuses));
  });
});
