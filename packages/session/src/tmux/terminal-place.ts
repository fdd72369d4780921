/**
 * Where the sockets of a session are, of its terminal and of its sandbox: a short private folder, because a socket's path may have about 100 bytes and
 * a session's folder is often longer.
 *
 * - `terminalPlace(root)` the paths for a session's folder, always the same; creates nothing.
 * - `makeTerminalPlace(root)` the same, in a folder that only this user can enter.
 */
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";

export interface TerminalPlace {
  /** For `tmux -S`. */
  readonly tmuxSocket: string;
  /** Where an agent reaches its holder. Nothing else is there: an agent in the sandbox sees this folder. */
  readonly sockets: string;
  /** For the agent's hooks. */
  readonly hookSocket: string;
}

const userId = process.getuid?.() ?? 0;
/** Not `os.tmpdir()`: on macOS that is 49 characters long, and it may differ between the processes of one user. */
const folder = `/tmp/devflow-${userId}`;

export function terminalPlace(root: string): TerminalPlace {
  const name = createHash("sha256").update(root).digest("hex").slice(0, 16);
  const sockets = join(folder, name);
  return { tmuxSocket: join(folder, `${name}.tmux`), sockets, hookSocket: join(sockets, "hook") };
}

export function makeTerminalPlace(root: string): TerminalPlace {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  // Anyone may have made a folder of this name under /tmp first.
  if (!found.isDirectory() || found.uid !== userId || (found.mode & 0o077) !== 0)
    throw new Error(`${folder} is not a private folder of this user: remove it, or make it yours with mode 0700`);
  const place = terminalPlace(root);
  mkdirSync(place.sockets, { recursive: true, mode: 0o700 });
  return place;
}
