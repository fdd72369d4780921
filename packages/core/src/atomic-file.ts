/**
 * Files that have either the old content or the new one, never a mixture, and are private to the user.
 *
 * - `writeFileAtomic(path, content)` temporary file, fsync, rename, fsync of the folder; mode 0600 by default.
 * - `ensurePrivateFolder(path)` creates it with mode 0700; refuses a symbolic link.
 * - `movePrivateFile(from, to)` moves a file to its new place once; an existing one there wins.
 * - `readPrivateFile(path)` reads without following a symbolic link; undefined when absent.
 */
import { constants } from "node:fs";
import { lstat, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DevflowError } from "./errors.ts";

export async function writeFileAtomic(path: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
  const folder = dirname(path);
  const temporary = join(folder, `.${crypto.randomUUID()}.tmp`);
  try {
    const file = await open(temporary, "wx", mode);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/** A rename is durable only when the folder is synced too. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export async function ensurePrivateFolder(path: string): Promise<void> {
  const refused = (cause?: unknown) =>
    new DevflowError("home_unusable", { details: { path, reason: "it is a link or a file, not a folder" }, cause });
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    const code = (error as { code?: string }).code;
    if (code === "EEXIST" || code === "ENOTDIR") throw refused(error);
    throw error;
  }
  const found = await lstat(path);
  if (!found.isDirectory()) throw refused();
}

export async function readPrivateFile(path: string): Promise<string | undefined> {
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    const code = (error as { code?: string }).code;
    if (code === "ENOENT") return undefined;
    if (code === "ELOOP") {
      throw new DevflowError("home_unusable", { details: { path, reason: "it is a symbolic link" }, cause: error });
    }
    throw error;
  }
  try {
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

export async function movePrivateFile(from: string, to: string): Promise<void> {
  await ensurePrivateFolder(dirname(to));
  const exists = async (path: string) => (await lstat(path).catch(() => undefined)) !== undefined;
  if ((await exists(to)) || !(await exists(from))) return;
  await rename(from, to);
  await syncFolder(dirname(to));
}
