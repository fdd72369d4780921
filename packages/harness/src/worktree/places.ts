/**
 * Where a new run works: one folder and one branch for each lane. Kept in the run's row; nothing derives it again.
 *
 * - `worktreePath(workspaceRoot, runId, lane)` `<workspaceRoot>/<run>/<lane>`.
 * - `worktreeBranch(runId, lane)` `devflow/<run>/<lane>`.
 * - `realPlace(path)` the path with every link in its parents resolved, as git itself writes it down.
 */
import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

/** The lane of a run that has no parent. */
export const mainLane = "main";

export function worktreePath(workspaceRoot: string, runId: string, lane: string): string {
  return join(workspaceRoot, runId, lane);
}

export function worktreeBranch(runId: string, lane: string): string {
  return `devflow/${runId}/${lane}`;
}

/** Of what is not there yet, as much as is. */
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
