/**
 * The home belongs to one user: its keys and the server's token must not be readable by others, and what the server reads
 * must not be written by them.
 *
 * - `ensurePrivateHome(home)` creates it with mode 0700. One that others can enter is closed to them, and the mode that it had
 *   is returned; one that is not ours to close is refused.
 * - `openTo(mode)` pure: what others may do, in words; undefined when nothing.
 */
import { chmod, lstat, readdir } from "node:fs/promises";
import { basename } from "node:path";
import { ensurePrivateFolder } from "./atomic-file.ts";
import { DevflowError } from "./errors.ts";
import type { Home } from "./home.ts";

export async function ensurePrivateHome(home: Home): Promise<{ readonly closedFrom: number | undefined }> {
  await ensurePrivateFolder(home.root);
  const { mode, uid } = await lstat(home.root);
  const problem = openTo(mode);
  if (!problem) return { closedFrom: undefined };
  const self = process.getuid?.() ?? uid;
  if (self !== 0 && uid !== self) throw refused(home, "it belongs to another user");
  // Closing /tmp or a project folder, named by mistake, would harm others.
  if ((mode & 0o1000) !== 0 || !(await isOurs(home))) throw refused(home, `${problem}, and it holds other files`);
  await chmod(home.root, 0o700);
  return { closedFrom: mode & 0o777 };
}

export function openTo(mode: number): string | undefined {
  if ((mode & 0o022) !== 0) return "others can write to it";
  return (mode & 0o055) !== 0 ? "others can read it" : undefined;
}

/** Empty, or with something in it that only Devflow creates. */
async function isOurs(home: Home): Promise<boolean> {
  const names = await readdir(home.root);
  const own = [home.configFile, home.serverLock, home.machineIdFile, home.keysFolder, home.postgresFolder];
  return names.length === 0 || own.some((path) => names.includes(basename(path)));
}

function refused(home: Home, reason: string): DevflowError {
  return new DevflowError("home_unusable", { details: { path: home.root, reason } });
}
