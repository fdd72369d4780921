/**
 * Removes a worktree; its branch stays, because it is the run's result.
 *
 * - `removeWorktree(options)` removes the folder and git's entry; a worktree with uncommitted work is a `conflict` that
 *   names the files, unless `force`, which only a gate may grant. A missing one is not an error.
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
  const problem = `The worktree ${path} has uncommitted work: ${sample.join(", ")}${more}.`;
  throw new DevflowError("conflict", { details: { problem, next: `Check it: git -C ${path} status` } });
}
