/** Removes what agents, people and commands wrote in the folder of a run. */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** Everything except worktrees, which `run cleanup` removes. */
export async function purgeFiles(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  let removed = 0;
  for (const name of names) {
    const path = join(folder, name);
    if (await stat(join(path, ".git")).catch(() => undefined)) continue;
    await rm(path, { recursive: true, force: true });
    removed += 1;
  }
  return removed;
}
