/**
 * Reads stored runs without their texts, for compare, trend and flaky.
 *
 * - `storedRuns(store)` → `read(refs)`; caches the rows of the last runs, up to a limit.
 * - `newest(store, filter)` the newest runs, as many as one page can read, and how many older ones are left out.
 */
import { DevflowError } from "@devflow/core/errors";
import { branchLine, type ComparedRun, commitGraph } from "../compare/index.ts";
import type { EvalStore, PackedRows, RunFilter, RunLine, RunRecord } from "../store/index.ts";
import { refOf } from "./run-line.ts";

export interface ReadStoredRun extends ComparedRun {
  readonly line: RunLine;
  readonly record: RunRecord;
  readonly rows: PackedRows;
}

export interface StoredRuns {
  read(refs: readonly string[]): Promise<ReadStoredRun[]>;
}

const maxRuns = 300;
const maxResults = 300_000;

/** Without a branch in the filter: those of the main line. Other branches stay out of its trend and its flaky cases. */
export function newestOfLine(store: EvalStore, filter: RunFilter) {
  if (filter.branch !== undefined) return { ...newest(store, filter), branch: filter.branch };
  const { runs, matching } = store.list({ ...filter, limit: 1000 });
  const own = branchLine(runs, commitGraph(store.commits()));
  return {
    ...fittingOnly(own.lines.slice(0, maxRuns), matching - (runs.length - own.lines.length)),
    branch: own.branch,
  };
}

export function newest(store: EvalStore, filter: RunFilter) {
  const { runs, matching } = store.list({ ...filter, limit: maxRuns });
  return fittingOnly(runs, matching);
}

function fittingOnly(runs: readonly RunLine[], matching: number) {
  let results = 0;
  const fitting = runs.filter((line, at) => {
    results += line.total;
    return at === 0 || results <= maxResults;
  });
  return {
    lines: fitting,
    scope: {
      runs: fitting.length,
      results: fitting.reduce((sum, { total }) => sum + total, 0),
      olderRuns: matching - fitting.length,
    },
  };
}

export function storedRuns(store: EvalStore): StoredRuns {
  /** Ordered by last use. */
  const kept = new Map<string, ReadStoredRun>();
  let keptRows = 0;

  async function readOne(ref: string): Promise<ReadStoredRun> {
    const { line, record } = await store.run(ref);
    const key = `${refOf(line)} ${record.pushedAt}`;
    const known = kept.get(key);
    if (known) {
      kept.delete(key);
      kept.set(key, known);
      return { ...known, line };
    }
    const [found] = await store.resultsFor([refOf(line)]);
    if (!found) throw new DevflowError("not_found", { details: { what: `The run ${ref}`, next: "devflow doctor" } });
    const { rows, read } = found;
    const fresh = { line, record, run: record.run, rows, results: rows, read, cost: record.summary.cost };
    kept.set(key, fresh);
    keptRows += rows.length;
    for (const [oldest, { rows: old }] of kept) {
      if (keptRows <= maxResults || kept.size === 1) break;
      kept.delete(oldest);
      keptRows -= old.length;
    }
    return fresh;
  }

  return {
    async read(refs) {
      const runs: ReadStoredRun[] = [];
      for (const ref of refs) runs.push(await readOne(ref));
      return runs;
    },
  };
}
