/**
 * Finds the commit that changed a case, from the store and from git.
 *
 * - `blameStored(suite, points, commits)` follows the first parents of HEAD. It uses only runs of the newest judge, because
 *   results of different judges cannot be compared.
 */

import { blankResult, type EvalResult, type EvalRun } from "@devflow/evals";
import { type BlameReport, blameCase, type ComparedRun, variantKey } from "@devflow/evals/compare";
import type { HistoryPoint } from "@devflow/evals/store";
import type { Commits } from "./commits.ts";

export interface StoredBlame {
  readonly report: BlameReport;
  /** Number of results of other judges, which were left out. */
  readonly otherJudges: number;
}

export async function blameStored(
  suite: string,
  points: readonly HistoryPoint[],
  commits: Commits,
  tip?: string,
): Promise<StoredBlame> {
  const [newest] = points;
  const isSame = (point: HistoryPoint) =>
    point.judgeKey === newest?.judgeKey && variantKey(point) === variantKey(newest);
  const own = points.filter(isSame).toReversed();
  const runs = [...Map.groupBy(own, ({ runId }) => runId).values()].map((group) => comparedRun(suite, group));
  const names = [...new Set(own.map(({ name }) => name))];
  const report = blameCase(runs, { suite, name: newest?.name ?? "", formerly: names }, await commits.line(tip));
  return { report, otherJudges: points.length - own.length };
}

function comparedRun(suite: string, points: readonly HistoryPoint[]): ComparedRun {
  const { runId, label, tier, at, gitSha, gitBranch, promptSha } = points[0] as HistoryPoint;
  const run: EvalRun = {
    ...{ runId, suite, label, at, gitSha, gitBranch, promptSha },
    tier: tier as EvalRun["tier"],
    model: null,
    host: null,
    judges: [],
    durationMs: null,
    totals: { total: points.length, passed: 0, failed: 0, errors: 0, skipped: 0 },
    costs: [],
    source: "devflow",
    extra: {},
  };
  return { run, results: points.map(resultOf) };
}

function resultOf({ name, inputSha, status, repeat, durationMs, usd }: HistoryPoint): EvalResult {
  const nothing = { calls: 1, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const usage = usd === null ? [] : [{ model: "", ...nothing, costUsd: usd }];
  return { ...blankResult, name, inputSha, status, repeat, durationMs, usage };
}
