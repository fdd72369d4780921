/**
 * Moves a worktree to another place, with its work.
 *
 * - `moveWorktree(options)` a folder that is no worktree, or one that git had not finished, is moved as a folder: after an
 *   interrupted `git worktree add` git refuses to move what it left. Nothing is deleted.
 */
import { rename } from "node:fs/promises";
import { type GitOptions, git } from "@devflow/git";
import { isHalfMade } from "./make-worktree.ts";
import { realPlace } from "./places.ts";
import { worktreeEntries } from "./worktree-entries.ts";

export interface MoveWorktreeOptions extends Pick<GitOptions, "env" | "signal"> {
  readonly repository: string;
  readonly from: string;
  /** Not there yet, on the same disk. */
  readonly to: string;
}

export async function moveWorktree({ repository, from, to, ...rest }: MoveWorktreeOptions): Promise<void> {
  const place = { ...rest, cwd: repository };
  const path = await realPlace(from);
  const entry = (await worktreeEntries(place)).find((one) => one.path === path);
  if (entry && !(await isHalfMade(entry))) await git(["worktree", "move"], { ...place, revisions: [path, to] });
  else await rename(path, to);
}
