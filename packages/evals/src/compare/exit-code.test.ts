import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@devflow/testkit";
import { madeResult, madeRun } from "../../testing/made-runs.ts";
import type { EvalResult, EvalRun } from "../results/result.ts";
import { compareRuns } from "./compare-runs.ts";
import { gateRules, readGates } from "./eval-gates.ts";
import { exitCodeOf, openGates } from "./exit-code.ts";

const side = (make: (at: number) => Partial<EvalResult>, run: Partial<EvalRun> = {}, count = 20) => [
  madeRun(
    run,
    Array.from({ length: count }, (_, at) => madeResult({ name: `case ${at}`, inputSha: `${at}`, ...make(at) })),
  ),
];

describe("a gate", () => {
  const better = side(() => ({ scores: { completeness: 0.9 } }));
  const worse = side((at) => ({ scores: { completeness: 0.3 + at / 100 } }));

  test("on a criterion makes its drop a regression, which it is not otherwise", () => {
    expect(exitCodeOf(compareRuns(better, worse))).toBe(0);
    const gated = compareRuns(better, worse, { criteria: gateRules(["completeness"]) });
    expect([gated.verdict, exitCodeOf(gated, ["regression"], ["completeness"])]).toEqual(["regression", 1]);
    const lower = compareRuns(better, worse, {
      criteria: gateRules([{ criterion: "completeness", direction: "lower" }]),
    });
    expect(lower.verdict).toBe("improvement");
  });

  test("that cannot be evaluated fails with its reason", () => {
    const report = compareRuns(better, better, { criteria: gateRules(["accuracy"]) });
    expect(exitCodeOf(report, ["regression"], ["accuracy"])).toBe(3);
    expect(openGates(report, ["cost", "latency"], ["accuracy"])).toEqual([
      "--fail-on cost: cost could not be compared (not recorded on both sides).",
      "--fail-on latency: latency could not be compared (not recorded on both sides).",
      "--gate accuracy: accuracy could not be compared (no case has such a score on both sides).",
    ]);
    expect(exitCodeOf(report, ["cost"])).toBe(3);
  });

  test("on errors fails when more cases do not run", () => {
    const failing = side((at) => (at < 3 ? {} : { status: "error" }), {}, 20);
    const report = compareRuns(
      side(() => ({})),
      failing,
    );
    expect([exitCodeOf(report), exitCodeOf(report, ["errors"])]).toEqual([0, 1]);
    expect(
      exitCodeOf(
        compareRuns(
          failing,
          side(() => ({})),
        ),
        ["errors"],
      ),
    ).toBe(0);
  });

  test("on cost also works with the cost of whole runs", () => {
    const costing = (actualUsd: number) =>
      side(() => ({})).map((one) => ({ ...one, cost: { actualUsd, estimatedUsd: 0, unpricedCalls: 0 } }));
    const report = compareRuns(costing(1), costing(2));
    expect(report.suites[0]?.budgets).toMatchObject([{ measure: "cost", ratio: 2, verdict: "regression" }]);
    expect([exitCodeOf(report), exitCodeOf(report, ["cost"])]).toEqual([0, 1]);
  });
});

test("gates are read from .devflow.json, and a wrong one is named", async () => {
  const folder = temporaryFolder();
  expect(await readGates(folder)).toEqual({ gates: [], failOn: [] });
  const write = (evals: unknown) =>
    writeFileSync(join(folder, ".devflow.json"), JSON.stringify({ settings: {}, evals }));
  write({ gate: ["completeness", { criterion: "toxicity", direction: "lower" }], fail_on: ["errors"] });
  expect(await readGates(folder)).toEqual({
    gates: ["completeness", { criterion: "toxicity", direction: "lower" }],
    failOn: ["errors"],
  });
  write({ fail_on: ["typos"] });
  expect(readGates(folder)).rejects.toThrow("evals.fail_on.0 in .devflow.json is wrong");
});

test("cases that broke and 'no evidence' never stand together without the reason", () => {
  const status = (at: number, turn: number) => ((at * 7 + turn * 3) % 10 < 1 ? ("fail" as const) : ("pass" as const));
  const { headline, verdict } = compareRuns(
    side((at) => ({ status: status(at, 0) }), {}, 2000),
    side((at) => ({ status: status(at, 1) }), {}, 2000),
  );
  expect(verdict).toBe("no evidence");
  expect(headline).toMatchInlineSnapshot(
    `"No evidence of a regression: 200 cases broke, 200 fixed; the pass rate changed by 0.0 points (95 % interval −2.0 to +2.0), which cases that vary by themselves explain."`,
  );
});
