/**
 * Results of workers that run at the same time: `~/.devflow/eval-partials/<suite>/worker_<pid>.json`, each in the result
 * format with a `worker` member.
 *
 * - `readPartials(home, suite)` the workers and what they have so far; `watch` calls it again and again.
 * - `mergePartials(read, options)` one run of them all, for `push`.
 * - `removePartials(read)` those that were read and have not changed since.
 *
 * A worker is `finished` when it says so, `running` while its process lives, else `dead`: its results count, and it is
 * named. Partials of an earlier run, told by their run id, are left out and named too.
 */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isSameProcess, processIdentity } from "@devflow/core/process-proof";
import { suiteFolder } from "../cache/eval-cache.ts";
import { type ReadRun, type RunDefaults, readResults } from "../results/read-results.ts";
import type { EvalResult, EvalRun } from "../results/result.ts";

export const workerStates = ["running", "finished", "dead"] as const;
export type WorkerState = (typeof workerStates)[number];

export interface Worker {
  readonly pid: number;
  readonly state: WorkerState;
  readonly results: number;
  /** How many results it means to have; null when it did not say. */
  readonly expected: number | null;
  readonly updatedAt: string;
  readonly path: string;
}

export interface WorkerPartial {
  readonly worker: Worker;
  readonly run: EvalRun;
  /** The file gave the run's id itself. */
  readonly givenRunId: string | null;
  readonly results: readonly EvalResult[];
  /** What could not be read of it, in words. */
  readonly faults: readonly string[];
  readonly modifiedMs: number;
}

export interface ReadPartials {
  readonly suite: string;
  /** Of the newest run. */
  readonly partials: readonly WorkerPartial[];
  /** Of earlier runs, or unreadable: in words. */
  readonly leftOut: readonly string[];
}

export async function readPartials(home: string, suite: string, defaults: RunDefaults): Promise<ReadPartials> {
  const folder = join(home, "eval-partials", suiteFolder(suite));
  const names = await readdir(folder).catch(() => [] as string[]);
  const found: WorkerPartial[] = [];
  const leftOut: string[] = [];
  for (const name of names.sort()) {
    const pid = Number(/^worker_(\d+)\.json$/.exec(name)?.[1]);
    if (!pid) continue;
    const path = join(folder, name);
    try {
      found.push(await readPartial(path, pid, { ...defaults, suite }));
    } catch (error) {
      if ((error as { code?: string }).code !== "not_found") leftOut.push(`${path}: ${(error as Error).message}`);
    }
  }
  const newest = found.reduce<WorkerPartial | undefined>(
    (a, b) => (a && a.modifiedMs >= b.modifiedMs ? a : b),
    undefined,
  );
  const isOfRun = ({ givenRunId }: WorkerPartial) => givenRunId === newest?.givenRunId;
  for (const { worker, givenRunId } of found.filter((one) => !isOfRun(one))) {
    leftOut.push(`${worker.path}: left over from run ${givenRunId ?? "(without an id)"}`);
  }
  return { suite, partials: found.filter(isOfRun), leftOut };
}

/** The state is decided before the file is read: what a worker wrote last before it ended is then surely in it. */
async function readPartial(path: string, pid: number, defaults: RunDefaults): Promise<WorkerPartial> {
  const isThere = processIdentity(pid) !== undefined;
  const { mtimeMs } = await stat(path);
  const imported = await readResults(path, { lenient: true, defaults });
  const results = await collect(imported);
  const faults = imported.rejected.map(({ path: at, problem }) => `${at}: ${problem}`);
  if (results.length === 0 && faults.length > 0) throw new Error(faults[0]);
  const { worker: told, ...extra } = imported.run.extra as { worker?: ToldWorker };
  const isAlive = told?.identity ? isSameProcess({ pid, identity: told.identity }) : isThere;
  const worker: Worker = {
    pid,
    state: told?.finished ? "finished" : isAlive ? "running" : "dead",
    results: results.length,
    expected: typeof told?.expected === "number" ? told.expected : null,
    updatedAt: new Date(mtimeMs).toISOString(),
    path,
  };
  const givenRunId = imported.isRunIdGiven ? imported.run.runId : null;
  return { worker, run: { ...imported.run, extra }, givenRunId, results, faults, modifiedMs: mtimeMs };
}

interface ToldWorker {
  readonly identity?: string | null;
  readonly finished?: boolean;
  readonly expected?: number | null;
}

async function collect({ results }: ReadRun): Promise<EvalResult[]> {
  const all: EvalResult[] = [];
  for await (const result of results) all.push(result);
  return all;
}

export async function removePartials({ partials }: ReadPartials): Promise<void> {
  for (const { worker, modifiedMs } of partials) {
    const now = await stat(worker.path).catch(() => undefined);
    if (now && now.mtimeMs === modifiedMs) await rm(worker.path, { force: true });
  }
}
