/**
 * Evidence folders and files, found by name and never through a link: a cloned repository may contain its own `.devflow`,
 * and nothing in it may lead outside.
 *
 * - `bundleNames(root)` newest first; `countBundles(root)`.
 * - `readIn(root, bundle, parts, limit)` the bytes of a file in a bundle; undefined when it does not exist, is a link, or
 *   any folder on the way to it is one.
 */
import { constants, type Dirent } from "node:fs";
import { lstat, open, readdir } from "node:fs/promises";
import { join } from "node:path";

/** Names that `evidence start` creates: no leading dot, no separator. */
const plainName = /^[A-Za-z0-9][A-Za-z0-9_-]{0,120}$/;
const shotName = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,120}$/;

const isBundleName = (name: string): boolean => plainName.test(name);

export async function bundleNames(root: string): Promise<string[]> {
  const folder = await evidenceFolderOf(root);
  const entries: Dirent[] = folder === undefined ? [] : await readdir(folder, { withFileTypes: true }).catch(() => []);
  // Their names begin with the time.
  return entries
    .filter((entry) => entry.isDirectory() && isBundleName(entry.name))
    .map(({ name }) => name)
    .sort()
    .reverse();
}

export const countBundles = async (root: string): Promise<number> => (await bundleNames(root)).length;

export async function readIn(
  root: string,
  bundle: string,
  parts: readonly string[],
  limit: number,
): Promise<Buffer | undefined> {
  const path = await pathIn(root, bundle, parts);
  if (path === undefined) return undefined;
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const found = await file.stat();
      return found.isFile() && found.size <= limit ? await file.readFile() : undefined;
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

/** Changes whenever a file in the bundle changes. */
export async function bundleStamp(root: string, bundle: string): Promise<string> {
  const folder = await pathIn(root, bundle, []);
  if (folder === undefined) return "";
  const shots = await pathIn(root, bundle, ["shots"]);
  const files =
    shots === undefined ? [] : (await readdir(shots).catch(() => [])).sort().map((name) => join(shots, name));
  const stats = await Promise.all(
    [join(folder, "journal.jsonl"), ...files].map((path) => lstat(path).catch(() => undefined)),
  );
  return stats.map((one) => (one ? `${one.ino}:${one.size}:${one.mtimeMs}:${one.ctimeMs}` : "-")).join(" ");
}

async function pathIn(root: string, bundle: string, parts: readonly string[]): Promise<string | undefined> {
  if (!isBundleName(bundle) || !parts.every((part) => shotName.test(part))) return undefined;
  const evidence = await evidenceFolderOf(root);
  if (evidence === undefined) return undefined;
  let path = join(evidence, bundle);
  for (const part of parts) {
    if (!(await isRealFolder(path))) return undefined;
    path = join(path, part);
  }
  return parts.length > 0 || (await isRealFolder(path)) ? path : undefined;
}

async function evidenceFolderOf(root: string): Promise<string | undefined> {
  const folder = join(root, ".devflow");
  const evidence = join(folder, "evidence");
  return (await isRealFolder(folder)) && (await isRealFolder(evidence)) ? evidence : undefined;
}

async function isRealFolder(path: string): Promise<boolean> {
  return await lstat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
