/**
 * A worktree that is being created. Git writes the file `commondir` of a new worktree in two steps, and any git that reads
 * it in between fails, even to list, add or delete a branch. A git killed at that point leaves it in this state forever.
 *
 * - `stumbledOver(stderr)` the name of that worktree, if this was why git failed.
 * - `repairCommondir(folder, name)` writes what git would have written, if nothing has been written for a while.
 */
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Git itself needs microseconds between the two steps. */
export const abandonedAfterMs = 2_000;

export function stumbledOver(stderr: string): string | undefined {
  return /failed to read \S*worktrees\/([^/\s]+)\/commondir/.exec(stderr)?.[1];
}

/** `folder`: the repository's common git folder. */
export async function repairCommondir(folder: string, name: string): Promise<void> {
  const file = join(folder, "worktrees", name, "commondir");
  const { mtimeMs } = await stat(file);
  if (Date.now() - mtimeMs < abandonedAfterMs || (await readFile(file, "utf8")) !== "") return;
  await writeFile(file, "../..\n");
}
