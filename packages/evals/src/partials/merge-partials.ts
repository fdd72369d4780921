/**
 * Merges the partials of several workers into one run.
 *
 * - `mergePartials(read)` of two results for the same case and repeat, the one that finished last counts; the other is kept as
 *   superseded. Results of different cells of a matrix are different results.
 * - `runsOf(merged)` the merged run itself, or for a matrix one run per cell.
 */
import { hashBytes } from "@devflow/core/hash";
import type { PartialAsked } from "../check/index.ts";
import { caseKey } from "../results/identity.ts";
import type { EvalResult, EvalRun, ImportedRun, ModelUsage } from "../results/result.ts";
import type { ReadPartials, WorkerPartial } from "./partials.ts";

export interface MergedRun extends ImportedRun {
  readonly results: readonly EvalResult[];
  readonly superseded: readonly EvalResult[];
}

interface Candidate {
  readonly result: EvalResult;
  readonly finishedAt: string;
}

export function mergePartials({ partials, leftOut }: ReadPartials): MergedRun | undefined {
  const [first] = partials;
  if (!first) return undefined;
  const counted = new Map<string, Candidate>();
  const superseded: EvalResult[] = [];
  for (const { results, worker } of partials) {
    for (const result of results) {
      const key = `${caseKey(result.name, result.inputSha)} ${result.repeat} ${cellOf(result) ?? ""}`;
      const candidate = { result, finishedAt: finishedAt(result) ?? worker.updatedAt };
      const other = counted.get(key);
      if (!other || candidate.finishedAt >= other.finishedAt) {
        counted.set(key, candidate);
        if (other) superseded.push(other.result);
      } else superseded.push(result);
    }
  }
  const dead = partials.filter(({ worker }) => worker.state === "dead");
  const warnings = [
    ...dead.map(({ worker }) => deathOf(worker)),
    ...(superseded.length > 0
      ? [`${superseded.length} results were reported by two workers; the last one counts.`]
      : []),
    ...partials.flatMap(({ run }) => noteOf(run) ?? []),
    ...partials.flatMap(({ worker, faults }) => faults.map((fault) => `${worker.path}: ${fault}`)),
    ...leftOut,
  ];
  const results = [...counted.values()].map(({ result }) => result);
  return {
    run: mergedRun(first.run, partials),
    results,
    superseded,
    losses: [],
    warnings,
    contentSha: contentOf(partials),
  };
}

export function runsOf(merged: MergedRun): readonly MergedRun[] {
  const { asked, note: _note, ...extra } = merged.run.extra as { asked?: PartialAsked; note?: unknown };
  if (!asked) return [merged];
  const ofCell = (results: readonly EvalResult[], index: number) =>
    results.filter((result) => cellOf(result) === index).map(withoutCell);
  return asked.cells
    .map(({ run_id: runId, model, provider, variant }, index) => ({
      ...merged,
      run: {
        ...merged.run,
        ...{ runId, model, provider, variant, extra },
        ...(asked.cells.length > 1 ? { matrix: merged.run.runId } : {}),
      },
      results: ofCell(merged.results, index),
      superseded: ofCell(merged.superseded, index),
      contentSha: `${merged.contentSha} ${index}`,
    }))
    .filter(({ results }) => results.length > 0);
}

/** Which cell of a matrix the result belongs to; undefined outside one. */
function cellOf({ extra }: EvalResult): number | undefined {
  const { cell } = extra as { cell?: unknown };
  return typeof cell === "number" ? cell : undefined;
}

function withoutCell(result: EvalResult): EvalResult {
  const { cell: _cell, variant: _variant, ...extra } = result.extra as Record<string, unknown>;
  return { ...result, extra };
}

function noteOf({ extra }: EvalRun): string | undefined {
  return typeof extra.note === "string" ? extra.note : undefined;
}

function deathOf(worker: WorkerPartial["worker"]): string {
  if (worker.isCoordinator) return `The process that started the workers (${worker.pid}) died.`;
  const at = worker.running === null ? "" : ` on "${worker.running}"`;
  const results = `${worker.results} result${worker.results === 1 ? "" : "s"}`;
  return `Worker ${worker.pid} died after ${results}${at}${missing(worker)}.`;
}

const missing = ({ expected, results }: WorkerPartial["worker"]): string =>
  expected !== null && expected > results ? `; ${expected - results} missing` : "";

function finishedAt(result: EvalResult): string | null {
  const told = (result.extra as { finished_at?: unknown }).finished_at;
  const time = typeof told === "string" || typeof told === "number" ? new Date(told) : undefined;
  return time && !Number.isNaN(time.getTime()) ? time.toISOString() : null;
}

function mergedRun(run: EvalRun, partials: readonly WorkerPartial[]): EvalRun {
  const given = partials[0]?.givenRunId;
  const started = partials.map(({ run: { at } }) => at).sort()[0] ?? run.at;
  const ended = Math.max(...partials.map(({ modifiedMs }) => modifiedMs));
  return {
    ...run,
    // Without a given id, the same partials are the same run; with one more worker, it is another run.
    runId: given ?? contentOf(partials).slice(0, 16),
    at: started,
    durationMs: Math.max(0, ended - Date.parse(started)),
    totals: { total: 0, passed: 0, failed: 0, errors: 0, skipped: 0 },
    costs: sumCosts(partials.flatMap(({ run: { costs } }) => costs)),
  };
}

function contentOf(partials: readonly WorkerPartial[]): string {
  return hashBytes(
    JSON.stringify(partials.map(({ worker, modifiedMs, results }) => [worker.pid, modifiedMs, results])),
  );
}

function sumCosts(costs: readonly ModelUsage[]): ModelUsage[] {
  const sums = new Map<string, ModelUsage>();
  for (const usage of costs) {
    // Actual and estimated costs are separate rows.
    const key = `${usage.model} ${usage.costUsd === null}`;
    const sum = sums.get(key);
    sums.set(key, sum ? addUsage(sum, usage) : usage);
  }
  return [...sums.values()];
}

function addUsage(a: ModelUsage, b: ModelUsage): ModelUsage {
  return {
    model: a.model,
    calls: a.calls + b.calls,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    costUsd: a.costUsd === null || b.costUsd === null ? null : a.costUsd + b.costUsd,
  };
}
