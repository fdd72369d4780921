/**
 * Where a new run works: one folder and one branch per lane. Stored in the run's row, and never derived again.
 *
 * - `worktreePath(workspaceRoot, runId, lane)` `<workspaceRoot>/<run>/<lane>`.
 * - `worktreeBranch(runId, lane)` `devflow/<short id of the run>/<lane>`.
 * - `realPlace(path)` the path with every link in its parents resolved, as git records it.
 */
import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { shortId } from "@devflow/core/short-id";

/** The lane of a run that has no parent. */
export const mainLane = "main";

export function worktreePath(workspaceRoot: string, runId: string, lane: string): string {
  return join(workspaceRoot, runId, lane);
}

export function worktreeBranch(runId: string, lane: string): string {
  return `devflow/${shortId(runId)}/${lane}`;
}

/** For a missing path, as much of it as exists. */
export async function realPlace(path: string): Promise<string> {
  const whole = resolve(path);
  const parent = dirname(whole);
  if (parent === whole) return whole;
  try {
    return join(await realpath(parent), basename(whole));
  } catch {
    return join(await realPlace(parent), basename(whole));
  }
}
