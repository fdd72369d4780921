/**
 * Reads stored runs for compare, trend, flaky and summary.
 *
 * - `storedRows(store, lines)` results without their texts, in bounded memory; compare reads the texts that it shows.
 * - `runName(line)` the run's unique name, `suite/id`; `suiteTierKey(line)` a key of its suite and tier, to group by.
 */
import type { EvalStore, RunLine } from "../store/index.ts";
import type { SummarizedRun } from "./summary.ts";

/** What runs of one suite and tier share, and no others. */
export const suiteTierKey = ({ suite, tier }: Pick<RunLine, "suite" | "tier">): string => `${suite}\u0000${tier}`;

export const runName = ({ suite, runId }: Pick<RunLine, "suite" | "runId">): string => `${suite}/${runId}`;

export async function storedRows(store: EvalStore, lines: readonly RunLine[]): Promise<SummarizedRun[]> {
  const stored = await store.resultsFor(lines.map(runName));
  return stored.map(({ record, rows, read }) => ({ run: record.run, results: rows, read, cost: record.summary.cost }));
}
