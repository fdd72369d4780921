/**
 * What a worker has finished, on disk while it works: `worker_<pid>.json`, whole at any moment.
 *
 * - `partialFile(folder, pid, facts)` `add(result)` keeps it up to date, `running(name)` says what is under way.
 *
 * Rewriting a large file after every small case would take longer than the cases. Writes then come further apart; the
 * results themselves have gone to the parent before.
 */
import { join } from "node:path";
import { ensurePrivateFolder, writeFileAtomic } from "@devflow/core/atomic-file";
import type { ResultRecord } from "./result-record.ts";

export interface PartialFacts {
  readonly run_id: string;
  readonly suite: string;
  readonly label: string;
  readonly tier: string;
  /** Cases of the whole run. */
  readonly planned: number;
  readonly started_at: string;
}

export interface PartialFile {
  readonly path: string;
  running(name: string | null): Promise<void>;
  add(result: ResultRecord): Promise<void>;
  flush(): Promise<void>;
}

export const partialPath = (folder: string, pid: number): string => join(folder, `worker_${pid}.json`);

/** Writing may take a twentieth of the time. */
const share = 20;

export function partialFile(folder: string, pid: number, facts: PartialFacts, now: () => number): PartialFile {
  const path = partialPath(folder, pid);
  const finished: string[] = [];
  let under: string | null = null;
  let hasFolder = false;
  let isStale = true;
  let nextWriteAt = 0;

  async function write(): Promise<void> {
    const began = now();
    if (!hasFolder) await ensurePrivateFolder(folder);
    hasFolder = true;
    const head = {
      schema_version: 1,
      partial: true,
      ...facts,
      worker: { pid, running: under, updated_at: new Date(began).toISOString() },
    };
    await writeFileAtomic(path, `${JSON.stringify(head).slice(0, -1)},"all_results":[${finished.join(",\n")}]}\n`);
    isStale = false;
    nextWriteAt = now() + (now() - began) * (finished.length > 50 ? share : 0);
  }
  const writeIfDue = async () => {
    isStale = true;
    if (now() >= nextWriteAt) await write();
  };
  return {
    path,
    running(name) {
      under = name;
      return writeIfDue();
    },
    add(result) {
      finished.push(JSON.stringify(result));
      under = null;
      return writeIfDue();
    },
    async flush() {
      if (isStale) await write();
    },
  };
}
