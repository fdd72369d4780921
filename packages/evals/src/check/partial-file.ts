/**
 * What a worker has finished, on disk while it works: `worker_<pid>.json`, whole at any moment.
 *
 * - `partialFile(folder, facts, now)` of this process: `add(result)` keeps it up to date, `running(name)` says what is
 *   under way, `finish()` that nothing more is to come. A worker that ends without it is shown as dead.
 *
 * Rewriting a large file after every small case would take longer than the cases. Writes then come further apart; the
 * results themselves have gone to the parent before.
 */
import { join } from "node:path";
import { ensurePrivateFolder, writeFileAtomic } from "@devflow/core/atomic-file";
import { processIdentity } from "@devflow/core/process-proof";
import type { ResultRecord } from "./result-record.ts";

export interface PartialFacts {
  readonly run_id: string;
  readonly suite: string;
  readonly label: string;
  readonly tier: string;
  /** Cases of the whole run. */
  readonly planned: number;
  /** When the run began. */
  readonly timestamp: string;
  readonly git_sha: string | null;
  readonly git_branch: string | null;
}

export interface PartialFile {
  readonly path: string;
  running(name: string | null): Promise<void>;
  add(result: ResultRecord): Promise<void>;
  flush(): Promise<void>;
  finish(): Promise<void>;
}

export interface PartialOptions {
  /** It checks nothing itself, but its life is the run's. */
  readonly isCoordinator?: boolean;
}

export const partialPath = (folder: string, pid: number): string => join(folder, `worker_${pid}.json`);

/** Writing may take a twentieth of the time. */
const share = 20;

export function partialFile(
  folder: string,
  facts: PartialFacts,
  now: () => number,
  { isCoordinator = false }: PartialOptions = {},
): PartialFile {
  const { pid } = process;
  const identity = processIdentity(pid) ?? null;
  const path = partialPath(folder, pid);
  const finished: string[] = [];
  let under: string | null = null;
  let hasFolder = false;
  let isStale = true;
  let isFinished = false;
  let nextWriteAt = 0;

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
  /** One after the other: of two writes at once the older could come last. */
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
    // The next case may take long; what is finished shall be seen before.
    later ??= setTimeout(() => void write().catch(() => undefined), waitMs);
    later.unref?.();
  };

  return {
    path,
    running(name) {
      under = name;
      return writeIfDue();
    },
    add(result) {
      finished.push(JSON.stringify({ ...result, finished_at: new Date(now()).toISOString() }));
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
