/**
 * Whether git is still running in a worktree. A git started by Devflow outlives a killed Devflow and may still complete
 * what it began: a repeated call has to wait for it, and may repair only what nobody works on.
 *
 * - `untilNoWorktreeAdd(path, signal)` waits for every `git worktree add` of that path to end.
 * - `clearStaleLocks(worktree, locks, signal)` waits for git processes in the worktree, then removes the locks that a
 *   killed one left; a lock younger than `freshMs` is left to its holder.
 */
import { readlink, rm, stat } from "node:fs/promises";
import { basename, sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DevflowError } from "@devflow/core/errors";
import { liveProcesses } from "@devflow/core/process-table";

interface LiveGit {
  readonly argv: readonly string[];
  /** Undefined where the system does not report it. */
  readonly cwd: string | undefined;
}

const lookAgainMs = 50;
const freshMs = 2_000;
const patienceMs = 60_000;

export async function untilNoWorktreeAdd(path: string, signal?: AbortSignal): Promise<void> {
  await until(`git worktree add ${path}`, signal, async () => {
    const live = await liveGit();
    // As text: from `ps`, a path with a space is split.
    return !live.some(({ argv }) => argv.includes("worktree") && argv.includes("add") && argv.join(" ").includes(path));
  });
}

export async function clearStaleLocks(worktree: string, locks: readonly string[], signal?: AbortSignal): Promise<void> {
  for (const lock of locks) {
    await until(`the lock ${lock}`, signal, async () => {
      const age = await ageOf(lock);
      if (age === undefined) return true;
      if (age < freshMs || (await liveGit()).some(({ cwd }) => cwd === undefined || isWithin(cwd, worktree))) {
        return false;
      }
      await rm(lock, { force: true });
      return true;
    });
  }
}

async function until(what: string, signal: AbortSignal | undefined, isDone: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + patienceMs;
  while (!(await isDone())) {
    signal?.throwIfAborted();
    if (performance.now() > giveUpAt) {
      const problem = `Another git has been running for over a minute (${what}).`;
      throw new DevflowError("conflict", { details: { problem, next: "Find it: ps -ef | grep git" } });
    }
    await sleep(lookAgainMs, undefined, signal ? { signal } : {});
  }
}

async function ageOf(path: string): Promise<number | undefined> {
  try {
    return Date.now() - (await stat(path)).mtimeMs;
  } catch {
    return undefined;
  }
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}

async function liveGit(): Promise<LiveGit[]> {
  const all = liveProcesses().filter(({ argv }) => /^git(-\w+)?$/.test(basename(argv[0] ?? "")));
  return await Promise.all(all.map(async ({ pid, argv }) => ({ argv, cwd: await folderOf(pid) })));
}

/** Another user's process does not show its folder; it is not one of ours either. */
async function folderOf(pid: number): Promise<string | undefined> {
  return process.platform === "linux" ? await readlink(`/proc/${pid}/cwd`).catch(() => "/") : undefined;
}
