/** - `trendView(store, runs, filter)` the pass rate and scores of one suite and tier over its newest commits. */
import type { EvalTrend } from "@devflow/protocol";
import { commitGraph, type TrendPoint, trendOf, variantKey, variantTitle } from "../compare/index.ts";
import type { EvalStore, RunFilter, RunLine } from "../store/index.ts";
import { commitOf, refOf, stateOf } from "./run-line.ts";
import { newestOfLine, type StoredRuns } from "./stored-runs.ts";

export async function trendView(
  store: EvalStore,
  runs: StoredRuns,
  filter: RunFilter & Pick<EvalTrend, "suite" | "tier"> & { readonly variant?: string },
): Promise<EvalTrend> {
  const { lines, scope, branch } = newestOfLine(store, filter);
  const variants = [...new Map(lines.map((line) => [variantKey(line), variantTitle(line)]))];
  const chosen = variants.find(([, title]) => title === filter.variant) ?? variants[0];
  const read = await runs.read(lines.filter((line) => variantKey(line) === chosen?.[0]).map(refOf));
  const known = new Map(read.map(({ line }) => [line.runId, line]));
  const graph = commitGraph(store.commits());
  const points = trendOf(read).map((point) => ({ ...pointView(point, known), commit: commitOf(graph, point.sha) }));
  const titles = variants.map(([, title]) => title ?? "no model named");
  return {
    ...{ suite: filter.suite, tier: filter.tier, points, scope, branch },
    variants: titles,
    variant: chosen ? (chosen[1] ?? "no model named") : null,
  };
}

function pointView(
  point: TrendPoint,
  known: ReadonlyMap<string, RunLine>,
): Omit<EvalTrend["points"][number], "commit"> {
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
