/**
 * A worker's partial: its finished results in `worker_<pid>.json`, complete and valid at any moment.
 *
 * - `partialFile(folder, facts, now)` the partial of this process: `add(result)` adds a result, `running(name)` records the
 *   current case, `finish()` marks the worker as done. A worker that ends without it is shown as dead.
 * - `removePartialsOf(folder, runId)` removes the partials of one run.
 *
 * Rewriting a large file after every small case would take longer than the cases, so large files are written less often. The
 * results have already been sent to the parent by then.
 */
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { ensurePrivateFolder, writeFileAtomic } from "@devflow/core/atomic-file";
import { processIdentity } from "@devflow/core/process-proof";
import { parseJson } from "@devflow/core/read-if-there";
import type { ResultRecord } from "./result-record.ts";

export interface PartialFacts {
  readonly run_id: string;
  readonly suite: string;
  readonly label: string;
  readonly tier: string;
  /** Cases of the whole run. */
  readonly planned: number;
  /** When the run started. */
  readonly timestamp: string;
  readonly git_sha: string | null;
  readonly git_branch: string | null;
  /** A run that asks models itself: its cells, in the order of `cell` of the results, and its budget. */
  readonly asked?: PartialAsked;
}

export interface PartialAsked {
  readonly cells: readonly PartialCell[];
  readonly max_usd: number | null;
  /** The unfinished run, which goes when its partials are stored. */
  readonly journal: string;
}

export interface PartialCell {
  readonly run_id: string;
  readonly title: string;
  readonly model: string | null;
  readonly provider: string | null;
  readonly variant: string | null;
}

/** A result in the file format that was not made by `check`. */
type Members = Readonly<Record<string, unknown>>;

export interface PartialFile {
  readonly path: string;
  running(name: string | null): Promise<void>;
  /** `isOld`: finished before a crash, so that it says nothing about the time left. */
  add(result: ResultRecord | Members, options?: { readonly isOld?: boolean }): Promise<void>;
  flush(): Promise<void>;
  finish(): Promise<void>;
}

export interface PartialOptions {
  /** True for the process that leads the run: it may check nothing itself, but the run ends with it. */
  readonly isCoordinator?: boolean;
  /** Nothing is written before: nobody can watch a run that takes less. */
  readonly firstAfterMs?: number;
}

export const partialPath = (folder: string, pid: number): string => join(folder, `worker_${pid}.json`);

/** Writing may take at most a twentieth of the time. */
const share = 20;

export function partialFile(
  folder: string,
  facts: PartialFacts,
  now: () => number,
  { isCoordinator = false, firstAfterMs = 0 }: PartialOptions = {},
): PartialFile {
  const { pid } = process;
  const identity = processIdentity(pid) ?? null;
  const path = partialPath(folder, pid);
  const finished: string[] = [];
  let under: string | null = null;
  let hasFolder = false;
  let isStale = true;
  let isFinished = false;
  let nextWriteAt = firstAfterMs > 0 ? now() + firstAfterMs : 0;

  let chain = Promise.resolve();
  let later: ReturnType<typeof setTimeout> | undefined;

  async function writeNow(): Promise<void> {
    const began = now();
    if (!hasFolder) await ensurePrivateFolder(folder);
    hasFolder = true;
    const head = {
      schema_version: 1,
      partial: true,
      ...facts,
      worker: {
        pid,
        identity,
        running: under,
        updated_at: new Date(began).toISOString(),
        finished: isFinished,
        ...(isCoordinator ? { coordinator: true } : {}),
      },
    };
    isStale = false;
    await writeFileAtomic(path, `${JSON.stringify(head).slice(0, -1)},"all_results":[${finished.join(",\n")}]}\n`);
    nextWriteAt = now() + (now() - began) * (finished.length > 50 ? share : 0);
  }
  /** Serialised: of two concurrent writes, the older could land last. */
  function write(): Promise<void> {
    clearTimeout(later);
    later = undefined;
    chain = chain.then(() => (isStale ? writeNow() : undefined));
    return chain;
  }
  const writeIfDue = async () => {
    isStale = true;
    const waitMs = nextWriteAt - now();
    if (waitMs <= 0) return await write();
    // Write before the next case, which may take long.
    later ??= setTimeout(() => void write().catch(() => undefined), waitMs);
    later.unref?.();
  };

  return {
    path,
    running(name) {
      under = name;
      return writeIfDue();
    },
    add(result, { isOld = false } = {}) {
      finished.push(JSON.stringify(isOld ? result : { ...result, finished_at: new Date(now()).toISOString() }));
      under = null;
      return writeIfDue();
    },
    flush: write,
    finish() {
      isFinished = true;
      isStale = true;
      return write();
    },
  };
}

/** Of processes that were killed: the process that goes on with the run reports their results again. */
export async function removePartialsOf(folder: string, runId: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [] as string[])) {
    if (!/^worker_\d+\.json$/.test(name)) continue;
    const path = join(folder, name);
    const content = parseJson(await readFile(path, "utf8").catch(() => "")) as { run_id?: unknown } | undefined;
    if (content?.run_id === runId) await rm(path, { force: true });
  }
}
