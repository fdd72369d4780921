/**
 * Whether a path is really in one of the folders. Links are followed, also those to nowhere, because whoever writes
 * through one follows it too; what does not exist yet counts by its parent.
 */
import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";

export function isInside(path: string, folders: readonly string[]): boolean {
  if (!isAbsolute(path)) return false;
  try {
    const real = realPath(path);
    return folders.some((folder) => {
      const inside = relative(realPath(folder), real);
      return inside !== ".." && !inside.startsWith("../") && !isAbsolute(inside);
    });
  } catch {
    // A loop of links, a file where a folder should be, a folder that may not be read.
    return false;
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(path) === path) throw error;
    const target = linkTarget(path);
    if (target !== undefined) return realPath(resolve(realPath(dirname(path)), target));
    return join(realPath(dirname(path)), basename(path));
  }
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
