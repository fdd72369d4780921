/**
 * The end of a worktree; its branch stays, since it is what the run delivers.
 *
 * - `removeWorktree(options)` removes the folder and git's entry; a worktree with uncommitted work is a `conflict` that
 *   names the files, unless `force`, which only a gate may give. One that is gone already is no fault.
 */
import { DevflowError } from "@devflow/core/errors";
import { type GitOptions, git, repositoryStatus } from "@devflow/git";
import { realPlace } from "./places.ts";
import { worktreeEntries } from "./worktree-entries.ts";

export interface RemoveWorktreeOptions extends Pick<GitOptions, "env" | "signal"> {
  readonly repository: string;
  readonly root: string;
  readonly force?: boolean;
}

export async function removeWorktree(options: RemoveWorktreeOptions): Promise<{ removed: boolean }> {
  const { repository, root, force = false, ...rest } = options;
  const place = { ...rest, cwd: repository };
  const path = await realPlace(root);
  const entry = (await worktreeEntries(place)).find((one) => one.path === path);
  if (!entry) return { removed: false };
  if (!force && !entry.isPrunable) await requireClean(path, rest);
  await git(["worktree", "remove", ...(force ? ["--force"] : [])], { ...place, revisions: [path] });
  return { removed: true };
}

async function requireClean(path: string, rest: Pick<GitOptions, "env" | "signal">): Promise<void> {
  const { changes } = await repositoryStatus({ ...rest, cwd: path });
  if (changes.length === 0) return;
  const sample = changes.slice(0, 5).map((change) => change.path);
  const more = changes.length > sample.length ? ` and ${changes.length - sample.length} more` : "";
  const problem = `The worktree ${path} holds work that is in no commit: ${sample.join(", ")}${more}.`;
  throw new DevflowError("conflict", { details: { problem, next: `Look at it: git -C ${path} status` } });
}
