/**
 * The files of a backup on their way into a home: first beside it, and into place once the rows are committed.
 *
 * - `stageFiles(home, workspaceRoot)`; `add(file)` stores one, `place({ replace })` moves all of them. A file that exists is
 *   kept, unless it may be replaced.
 */
import { existsSync } from "node:fs";
import { copyFile, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Home } from "@devflow/core/home";
import { placeOf } from "./home-files.ts";

export const stagingFolder = (home: Home): string => join(home.root, "restore.tmp");

export function stageFiles(home: Home, workspaceRoot: string) {
  const staging = stagingFolder(home);
  const names: string[] = [];
  return {
    async add({ name, mode, bytes }: { name: string; mode: number; bytes: Buffer }): Promise<void> {
      const path = join(staging, name);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(path, bytes, { mode: mode & 0o700 });
      names.push(name);
    },
    async place({ replace }: { readonly replace: boolean }): Promise<{ written: number; kept: number }> {
      let kept = 0;
      for (const name of names) {
        const path = placeOf(name, home, workspaceRoot);
        if (existsSync(path) && !replace) {
          kept += 1;
          continue;
        }
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await move(join(staging, name), path);
      }
      return { written: names.length - kept, kept };
    },
  };
}

/** The workspaces may be on another disk. */
async function move(from: string, to: string): Promise<void> {
  await rename(from, to).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== "EXDEV") throw error;
    await copyFile(from, to);
    await rm(from);
  });
}
