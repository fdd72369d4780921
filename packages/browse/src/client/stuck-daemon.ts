/**
 * A daemon that is there but does not answer: its process was stopped, or hangs.
 *
 * - `stuckError(workspace, waitedMs)` says so, with its process and what to do.
 * - `endByForce(workspace)` ends it once it has been proved to be the workspace's daemon; the pid, or undefined when none runs.
 */
import { rm } from "node:fs/promises";
import { systemClock } from "@devflow/core/clock";
import { DevflowError } from "@devflow/core/errors";
import { isSameProcess } from "@devflow/core/process-proof";
import { linuxStat } from "@devflow/core/process-table";
import { findDaemon } from "./daemon-state.ts";
import type { Workspace } from "./workspace.ts";

const endMs = 2_000;

export function stuckError(workspace: Workspace, waitedMs: number, cause?: unknown): DevflowError {
  const seconds = waitedMs / 1_000;
  const state = findDaemon(workspace);
  if (!state) {
    const details = { workspace: workspace.root, which: "", seconds, next: "Repeat the command." };
    return new DevflowError("browse_no_answer", { details, cause });
  }
  const { pid, binaryVersion, startedAt } = state;
  const isStopped = process.platform === "linux" && linuxStat(pid)?.isStopped === true;
  const which = ` (pid ${pid}, Devflow ${binaryVersion}, since ${startedAt}${isStopped ? ", stopped by a signal" : ""})`;
  const next = `${isStopped ? `Continue it: kill -CONT ${pid}; or end it` : "End it"} by force: devflow browse stop`;
  return new DevflowError("browse_no_answer", { details: { workspace: workspace.root, which, seconds, next }, cause });
}

export async function endByForce(workspace: Workspace): Promise<number | undefined> {
  const state = findDaemon(workspace);
  if (!state) return undefined;
  // Chromium ends when its pipe closes, and the guard sees to it.
  process.kill(state.pid, "SIGKILL");
  for (const end = Date.now() + endMs; isSameProcess(state) && Date.now() < end; ) await systemClock.sleep(20);
  await rm(workspace.stateFile, { force: true }).catch(() => {});
  return state.pid;
}
