/**
 * Made-up runs for tests, simulations and benchmarks, with defaults for everything.
 *
 * - `madeResult(given)`, `madeUsage(model, given)`, `madeRun(given, results)`, `madeLine(runId, given)`; `madeSide(rows)` a run from letters: "p", "f", "e", "s", one per repeat.
 */

import type { ComparedRun } from "../src/compare/side.ts";
import {
  blankResult,
  type EvalResult,
  type EvalRun,
  type ModelUsage,
  type ResultStatus,
} from "../src/results/result.ts";
import type { RunLine } from "../src/store/run-record.ts";

export function madeResult(given: Partial<EvalResult> = {}): EvalResult {
  return { ...blankResult, name: "case", status: "pass", ...given };
}

/** A thousand tokens in, a hundred out, and no price of the tool's own. */
export function madeUsage(model: string, given: Partial<ModelUsage> = {}): ModelUsage {
  const tokens = { inputTokens: 1000, outputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return { model, calls: 1, ...tokens, costUsd: null, ...given };
}

export function madeRun(given: Partial<EvalRun>, results: readonly EvalResult[]): ComparedRun {
  const count = (status: ResultStatus) => results.filter((result) => result.status === status).length;
  const run: EvalRun = {
    runId: "run",
    suite: "suite",
    label: "label",
    tier: "standard",
    at: "2026-03-01T00:00:00.000Z",
    gitSha: null,
    gitBranch: null,
    promptSha: null,
    model: null,
    host: null,
    judges: [],
    durationMs: null,
    totals: {
      total: results.length,
      passed: count("pass"),
      failed: count("fail"),
      errors: count("error"),
      skipped: count("skipped"),
    },
    costs: [],
    source: "devflow",
    extra: {},
    ...given,
  };
  return { run, results };
}

const statuses: Readonly<Record<string, ResultStatus>> = { p: "pass", f: "fail", e: "error", s: "skipped" };

/** `{ greets: "ppf" }`: three repeats of the case "greets" in one run. */
export function madeSide(cases: Readonly<Record<string, string>>, given: Partial<EvalRun> = {}): ComparedRun[] {
  const results = Object.entries(cases).flatMap(([name, letters]) =>
    [...letters].map((letter, repeat) =>
      madeResult({ name, repeat, inputSha: `input of ${name}`, status: statuses[letter] ?? "skipped" }),
    ),
  );
  return [madeRun(given, results)];
}

export function madeLine(runId: string, given: Partial<RunLine>): RunLine {
  return {
    runId,
    suite: "s",
    label: "main",
    tier: "standard",
    at: "2026-03-15T10:00:00.000Z",
    gitSha: null,
    gitBranch: null,
    promptSha: null,
    model: null,
    provider: null,
    variant: null,
    matrix: null,
    host: null,
    judgeKey: "",
    attempt: 1,
    total: 1,
    passed: 1,
    failed: 0,
    errors: 0,
    skipped: 0,
    durationMs: null,
    actualUsd: 0,
    estimatedUsd: 0,
    unpricedCalls: 0,
    source: "devflow",
    isPartial: false,
    ...given,
  };
}
