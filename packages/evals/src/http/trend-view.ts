/** - `trendView(store, runs, filter)` the pass rate and scores of one suite and tier over its newest commits. */
import type { EvalTrend } from "@devflow/protocol";
import { type TrendPoint, trendOf } from "../compare/index.ts";
import type { EvalStore, RunFilter, RunLine } from "../store/index.ts";
import { refOf, stateOf } from "./run-line.ts";
import { newest, type StoredRuns } from "./stored-runs.ts";

export async function trendView(
  store: EvalStore,
  runs: StoredRuns,
  filter: RunFilter & Pick<EvalTrend, "suite" | "tier">,
): Promise<EvalTrend> {
  const { lines, scope } = newest(store, filter);
  const read = await runs.read(lines.map(refOf));
  const known = new Map(read.map(({ line }) => [line.runId, line]));
  const points = trendOf(read).map((point) => pointView(point, known));
  return { suite: filter.suite, tier: filter.tier, points, scope };
}

function pointView(point: TrendPoint, known: ReadonlyMap<string, RunLine>): EvalTrend["points"][number] {
  const lines = point.runIds.flatMap((id) => known.get(id) ?? []);
  const { sha, at, passes, results, errors, passRate, interval, scores, breakBefore } = point;
  return {
    id: lines[0] ? stateOf(lines[0]) : "",
    branch: lines[0]?.gitBranch ?? null,
    runs: lines.map(refOf),
    usd: lines.reduce((sum, { actualUsd, estimatedUsd }) => sum + actualUsd + estimatedUsd, 0),
    ...{ sha, at, passes, results, errors, passRate, interval, scores, breakBefore },
  };
}
