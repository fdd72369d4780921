/**
 * The page of one case: its history over all runs, and the two results to show side by side.
 *
 * - `caseView(store, runs, { key, suite, tier })`.
 */
import { DevflowError } from "@devflow/core/errors";
import type { EvalCaseDetail, EvalHistoryPoint } from "@devflow/protocol";
import { variantTitle } from "../compare/index.ts";
import type { EvalStore, HistoryPoint } from "../store/index.ts";
import { flakyOf } from "./flaky-view.ts";
import { rateOf, refOf, stateOf } from "./run-line.ts";

const mostPoints = 500;

export interface CaseQuery {
  /** Its key, or its name. */
  readonly key: string;
  readonly suite: string;
  readonly tier?: string | undefined;
}

export function caseView(store: EvalStore, { key, suite, tier }: CaseQuery): EvalCaseDetail {
  const all = store.history({ suite, case: key, limit: mostPoints });
  // A name may have several inputs; the newest one is used.
  const own = all.filter(({ caseKey }) => caseKey === all[0]?.caseKey);
  const [newest] = own;
  if (!newest) {
    throw new DevflowError("not_found", {
      details: { what: `The case "${key}" of ${suite}`, next: `devflow eval list --suite ${suite}` },
    });
  }
  const points = own.filter((point) => tier === undefined || point.tier === tier);
  return {
    suite,
    name: newest.name,
    caseKey: newest.caseKey,
    inputSha: newest.inputSha,
    tiers: [...new Set(own.map((point) => point.tier))].sort(),
    history: points.map((point) => viewOf(suite, point)),
    states: statesOf(suite, points),
    flaky: flakyOf(suite, points),
    suggested: suggested(suite, points),
  };
}

function viewOf(suite: string, point: HistoryPoint): EvalHistoryPoint {
  const { at, gitSha, gitBranch, promptSha, label, tier, judgeKey } = point;
  const { ordinal, repeat, status, durationMs, usd, score } = point;
  return {
    run: refOf({ suite, runId: point.runId }),
    variant: variantTitle(point),
    ...{ at, gitSha, gitBranch, promptSha, label, tier, judgeKey },
    ...{ ordinal, repeat, status, durationMs, usd, score },
  };
}

function statesOf(suite: string, points: readonly HistoryPoint[]): EvalCaseDetail["states"] {
  const groups = Map.groupBy(points.toReversed(), (point) => stateOf(point));
  return [...groups].map(([id, own]) => {
    const passes = own.filter(({ status }) => status === "pass").length;
    const results = passes + own.filter(({ status }) => status === "fail").length;
    return {
      id,
      sha: own[0]?.gitSha ?? null,
      branch: own[0]?.gitBranch ?? null,
      at: own[0]?.at ?? "",
      runs: [...new Set(own.map(({ runId }) => refOf({ suite, runId })))],
      passes,
      results,
      errors: own.filter(({ status }) => status === "error").length,
      ...rateOf(passes, results),
      usd: own.reduce((sum, { usd }) => sum + (usd ?? 0), 0),
    };
  });
}

/** B is the newest result; A is the last one with a different outcome, else the one before. */
function suggested(suite: string, points: readonly HistoryPoint[]): EvalCaseDetail["suggested"] {
  const [b] = points;
  const a = points.find(({ status }) => status !== b?.status && (status === "pass" || b?.status === "pass"));
  const place = (point: HistoryPoint | undefined) =>
    point ? { run: refOf({ suite, runId: point.runId }), ordinal: point.ordinal } : null;
  return { a: place(a ?? points[1]), b: place(b) };
}
