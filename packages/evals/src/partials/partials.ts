/**
 * Partials: the results of workers during a run, in `~/.devflow/eval-partials/<suite>/worker_<pid>.json`, each in the result
 * format with a `worker` member.
 *
 * - `readPartials(home, suite, defaults)` the workers and their results so far.
 * - `partialReader(home, suite, defaults)` the same for repeated reads: only changed files are read again.
 * - `mergePartials(read, options)` merges them into one run, for `push`.
 * - `removePartials(read)` removes those that were read and have not changed since.
 * - `suitesWithPartials(home)` the suites that have partials.
 *
 * A worker is `finished` if its partial says so, `running` while its process is alive, and otherwise `dead`: its results count,
 * and it is reported. Partials of an earlier run, identified by run id, are left out and reported too.
 */
import { readdir, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { processIdentity } from "@devflow/core/process-proof";
import type { EvalWorkerState } from "@devflow/protocol";
import { suiteFolder } from "../cache/eval-cache.ts";
import type { PartialAsked } from "../check/index.ts";
import { type ReadRun, type RunDefaults, readResults } from "../results/read-results.ts";
import type { EvalResult, EvalRun } from "../results/result.ts";

export type WorkerState = EvalWorkerState;

export interface Worker {
  readonly pid: number;
  readonly state: WorkerState;
  readonly results: number;
  /** Expected number of results; null if unknown. */
  readonly expected: number | null;
  /** The case it is running, or was running when it died; null if unknown. */
  readonly running: string | null;
  /** True for the process that leads the run; while it is alive, dead workers are replaced. */
  readonly isCoordinator: boolean;
  readonly updatedAt: string;
  readonly path: string;
}

export interface WorkerPartial {
  readonly worker: Worker;
  readonly run: EvalRun;
  /** The run id in the file, if any. */
  readonly givenRunId: string | null;
  readonly results: readonly EvalResult[];
  /** Descriptions of what could not be read. */
  readonly faults: readonly string[];
  readonly modifiedMs: number;
}

export interface ReadPartials {
  readonly suite: string;
  /** The partials of the newest run. */
  readonly partials: readonly WorkerPartial[];
  /** Descriptions of partials of earlier runs and unreadable ones. */
  readonly leftOut: readonly string[];
}

export async function readPartials(home: string, suite: string, defaults: RunDefaults): Promise<ReadPartials> {
  return await partialReader(home, suite, defaults).read();
}

export interface PartialReader {
  read(): Promise<ReadPartials>;
}

export function partialReader(home: string, suite: string, defaults: RunDefaults): PartialReader {
  const folder = partialsFolder(home, suite);
  let known: ReadonlyMap<string, KnownPartial> = new Map();
  return {
    async read() {
      const names = await readdir(folder).catch(() => [] as string[]);
      const now = new Map<string, KnownPartial>();
      const found: WorkerPartial[] = [];
      const leftOut: string[] = [];
      for (const name of names.sort()) {
        const pid = Number(/^worker_(\d+)\.json$/.exec(name)?.[1]);
        if (!pid) continue;
        const path = join(folder, name);
        try {
          const one = await readPartial(path, pid, { ...defaults, suite }, known.get(path));
          now.set(path, one);
          found.push(one.partial);
        } catch (error) {
          if ((error as { code?: string }).code !== "not_found") leftOut.push(`${path}: ${(error as Error).message}`);
        }
      }
      known = now;
      return ofNewestRun(suite, found, leftOut);
    },
  };
}

export const partialsFolder = (home: string, suite: string): string => join(home, "eval-partials", suiteFolder(suite));

/** Newest first. */
export async function suitesWithPartials(home: string): Promise<string[]> {
  const root = join(home, "eval-partials");
  const folders = await readdir(root).catch(() => [] as string[]);
  const found: { suite: string; modifiedMs: number }[] = [];
  for (const folder of folders) {
    const names = await readdir(join(root, folder)).catch(() => [] as string[]);
    const workers = names.filter((name) => /^worker_\d+\.json$/.test(name));
    const times = await Promise.all(workers.map((name) => modifiedAt(join(root, folder, name))));
    if (workers.length > 0) found.push({ suite: decodeURIComponent(folder), modifiedMs: Math.max(...times) });
  }
  return found.sort((a, b) => b.modifiedMs - a.modifiedMs).map(({ suite }) => suite);
}

const modifiedAt = (path: string): Promise<number> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );

function ofNewestRun(suite: string, found: readonly WorkerPartial[], unreadable: readonly string[]): ReadPartials {
  const newest = found.reduce<WorkerPartial | undefined>(
    (a, b) => (a && a.modifiedMs >= b.modifiedMs ? a : b),
    undefined,
  );
  const isOfRun = ({ givenRunId }: WorkerPartial) => givenRunId === newest?.givenRunId;
  const left = found
    .filter((one) => !isOfRun(one))
    .map(({ worker, givenRunId }) => `${worker.path}: left over from run ${givenRunId ?? "(without an id)"}`);
  return { suite, partials: found.filter(isOfRun), leftOut: [...unreadable, ...left] };
}

interface KnownPartial {
  readonly partial: WorkerPartial;
  readonly told: ToldWorker | undefined;
  /** Changes with every write, because each write creates a new file. */
  readonly version: string;
}

/** The state is determined before the file is read, so that the last write of an ended worker is included. */
async function readPartial(
  path: string,
  pid: number,
  defaults: RunDefaults,
  known: KnownPartial | undefined,
): Promise<KnownPartial> {
  const identity = processIdentity(pid);
  const { mtimeMs, size, ino } = await stat(path).catch((cause) => {
    throw Object.assign(new Error("the file was removed", { cause }), { code: "not_found" });
  });
  const version = `${ino} ${mtimeMs} ${size}`;
  if (known?.version === version) {
    const worker = { ...known.partial.worker, state: stateOf(known.told, identity) };
    return { ...known, partial: { ...known.partial, worker } };
  }
  const imported = await readResults(path, { lenient: true, defaults });
  const results = await collect(imported);
  const faults = imported.rejected.map(({ path: at, problem }) => `${at}: ${problem}`);
  if (results.length === 0 && faults.length > 0) throw new Error(faults[0]);
  const { worker: told, ...extra } = imported.run.extra as { worker?: ToldWorker };
  const worker: Worker = {
    pid,
    state: stateOf(told, identity),
    results: results.length,
    expected: typeof told?.expected === "number" ? told.expected : null,
    running: typeof told?.running === "string" ? told.running : null,
    isCoordinator: told?.coordinator === true,
    updatedAt: new Date(mtimeMs).toISOString(),
    path,
  };
  const givenRunId = imported.isRunIdGiven ? imported.run.runId : null;
  const partial = { worker, run: { ...imported.run, extra }, givenRunId, results, faults, modifiedMs: mtimeMs };
  return { partial, told, version };
}

function stateOf(told: ToldWorker | undefined, identity: string | undefined): WorkerState {
  if (told?.finished) return "finished";
  const isAlive = identity !== undefined && (!told?.identity || told.identity === identity);
  return isAlive ? "running" : "dead";
}

interface ToldWorker {
  readonly identity?: string | null;
  readonly finished?: boolean;
  readonly expected?: number | null;
  readonly running?: string | null;
  readonly coordinator?: boolean;
}

async function collect({ results }: ReadRun): Promise<EvalResult[]> {
  const all: EvalResult[] = [];
  for await (const result of results) all.push(result);
  return all;
}

export async function removePartials({ partials }: ReadPartials): Promise<void> {
  for (const { worker, modifiedMs, run } of partials) {
    const now = await stat(worker.path).catch(() => undefined);
    if (!now || now.mtimeMs !== modifiedMs) continue;
    await rm(worker.path, { force: true });
    const { asked } = run.extra as { asked?: Partial<PartialAsked> };
    // Stored under its id, the unfinished run cannot be continued. Only a file beside the partials is removed, and none that
    // is still written to.
    if (worker.state === "running") continue;
    const unfinished = join(dirname(worker.path), "..", "..", "eval-runs", basename(dirname(worker.path)));
    if (typeof asked?.journal === "string") await rm(join(unfinished, basename(asked.journal)), { force: true });
  }
}
