/**
 * A worktree that is being made. Git writes the file `commondir` of a new worktree in two steps, and whoever reads it in
 * between fails, whatever it wanted: list, add, delete a branch. A git that was killed there leaves it so for ever.
 *
 * - `stumbledOver(stderr)` the name of that worktree, when this was why git failed.
 * - `mendCommondir(folder, name)` writes what git would have written, when nobody has for a while.
 */
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Git itself needs microseconds between the two steps. */
export const abandonedAfterMs = 2_000;

export function stumbledOver(stderr: string): string | undefined {
  return /failed to read \S*worktrees\/([^/\s]+)\/commondir/.exec(stderr)?.[1];
}

/** `folder`: the repository's common git folder. */
export async function mendCommondir(folder: string, name: string): Promise<void> {
  const file = join(folder, "worktrees", name, "commondir");
  const { mtimeMs } = await stat(file);
  if (Date.now() - mtimeMs < abandonedAfterMs || (await readFile(file, "utf8")) !== "") return;
  await writeFile(file, "../..\n");
}
