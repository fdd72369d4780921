/**
 * The workspaces on this machine where browsers were started: one small private file each in the home, so that the disk
 * need not be searched. It contains only the folder; how to reach the browser is in the workspace itself.
 *
 * - `noteWorkspace(home, root)` called by the daemon when it starts.
 * - `knownWorkspaces(home)` newest start first. Stale entries are removed: a folder that is gone or has no `.devflow` any
 *   more, or one where nothing was started for a month.
 */
import { createHash } from "node:crypto";
import { lstat, readdir, rm, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import { ensurePrivateFolder, readPrivateFile, writeFileAtomic } from "@devflow/core/atomic-file";
import { findDaemon, socketPath, workspaceAt } from "../client/index.ts";

export interface KnownWorkspace {
  readonly id: string;
  readonly root: string;
  readonly startedAt: string;
}

const staleAfterMs = 30 * 86_400_000;
/** More files than this were not written by daemons. */
const maxFiles = 500;
const fileName = /^([0-9a-f]{16})\.json$/;

const listFolder = (home: string): string => join(home, "browse-workspaces");

export const workspaceId = (root: string): string => createHash("sha256").update(root).digest("hex").slice(0, 16);

export async function noteWorkspace(home: string, root: string): Promise<void> {
  await ensurePrivateFolder(home);
  const folder = listFolder(home);
  await ensurePrivateFolder(folder);
  const entry = { root, startedAt: new Date().toISOString() };
  await writeFileAtomic(join(folder, `${workspaceId(root)}.json`), `${JSON.stringify(entry)}\n`);
}

export async function knownWorkspaces(home: string, now = Date.now()): Promise<readonly KnownWorkspace[]> {
  const folder = listFolder(home);
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => fileName.test(name)).slice(0, maxFiles);
  const found = await Promise.all(files.map((name) => readEntry(join(folder, name), now)));
  return found
    .filter((entry) => entry !== undefined)
    .sort((a, b) => (a.startedAt < b.startedAt ? 1 : a.startedAt > b.startedAt ? -1 : 0));
}

async function readEntry(path: string, now: number): Promise<KnownWorkspace | undefined> {
  const entry = parse(await readPrivateFile(path).catch(() => undefined), basename(path));
  if (entry && (await isThere(entry, now))) return entry;
  await rm(path, { force: true });
  // A daemon that was killed leaves its socket.
  const socket = entry && socketPath(dirname(dirname(path)), entry.root);
  if (socket !== undefined) await rm(socket, { force: true });
  return undefined;
}

/** The file's name is derived from the folder it names; a file with any other name is ignored. */
function parse(text: string | undefined, file: string): KnownWorkspace | undefined {
  try {
    const { root, startedAt } = JSON.parse(text ?? "") as Record<string, unknown>;
    if (typeof root !== "string" || typeof startedAt !== "string") return undefined;
    const time = new Date(startedAt);
    const id = workspaceId(root);
    if (!isAbsolute(root) || Number.isNaN(time.getTime()) || file !== `${id}.json`) return undefined;
    return { id, root, startedAt: time.toISOString() };
  } catch {
    return undefined;
  }
}

async function isThere({ root, startedAt }: KnownWorkspace, now: number): Promise<boolean> {
  const workspace = workspaceAt(root);
  const isFolder = await Promise.all([stat(root), lstat(workspace.folder)]).then(
    (both) => both.every((one) => one.isDirectory()),
    () => false,
  );
  if (!isFolder) return false;
  return now - Date.parse(startedAt) < staleAfterMs || findDaemon(workspace) !== undefined;
}
