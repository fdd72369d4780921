/**
 * Where an unfinished run is kept: `~/.devflow/eval-runs/<suite>/<plan>.jsonl`.
 *
 * - `openRun(home, identity, ids)` the journal of the unfinished run with this identity, or a new one, locked against other
 *   processes.
 *
 * The identity is the suite, its tier, label and commit, and the cells. Cases, expectations, repeats, budget and judges are not
 * part of it: a run can be continued after a case was fixed or the budget was raised.
 */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ensurePrivateFolder } from "@devflow/core/atomic-file";
import { DevflowError } from "@devflow/core/errors";
import { tryLock } from "@devflow/core/exclusive-lock";
import { hash } from "@devflow/core/hash";
import { suiteFolder } from "../cache/eval-cache.ts";
import { type Journal, type JournalHead, openJournal } from "./run-journal.ts";

export interface RunIdentity {
  readonly suite: string;
  readonly tier: string;
  readonly label: string;
  readonly gitSha: string | null;
  /** What each cell asks. */
  readonly cells: readonly unknown[];
}

export interface OpenRun {
  readonly journal: Journal;
  readonly isResumed: boolean;
  /** Other unfinished runs of the suite. */
  readonly others: number;
  /** Lets other processes continue the run. */
  release(): void;
  /** Forgets it: it is stored. */
  remove(): Promise<void>;
}

export interface OpenRunOptions {
  /** Forget an unfinished run, and start again. */
  readonly fresh: boolean;
  readonly newHead: () => JournalHead;
}

export async function openRun(
  home: string,
  identity: RunIdentity,
  { fresh, newHead }: OpenRunOptions,
): Promise<OpenRun> {
  const folder = join(home, "eval-runs", suiteFolder(identity.suite));
  await ensurePrivateFolder(join(home, "eval-runs"));
  await ensurePrivateFolder(folder);
  const plan = hash(identity).slice(0, 16);
  const lock = tryLock(join(folder, `${plan}.lock`));
  if (!lock) {
    throw new DevflowError("conflict", {
      details: {
        problem: `${identity.suite} is already being run with these prompts and providers.`,
        next: "Watch it: devflow eval watch",
      },
    });
  }
  try {
    const path = join(folder, `${plan}.jsonl`);
    if (fresh) await rm(path, { force: true });
    const names = (await readdir(folder)).filter((name) => name.endsWith(".jsonl"));
    const journal = await openJournal(path, newHead());
    const isResumed = names.includes(`${plan}.jsonl`);
    const remove = async () => {
      await rm(path, { force: true });
      lock.release();
    };
    return { journal, isResumed, others: names.length - (isResumed ? 1 : 0), release: lock.release, remove };
  } catch (error) {
    lock.release();
    throw error;
  }
}
