/**
 * The running daemon of a workspace, found by its state file and verified against the process table.
 *
 * - `findDaemon(workspace)` the daemon, or undefined. A repository may contain a file of that name, so it counts only when
 *   it is private to this user, is not a link, and names a process with the recorded start time.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from "node:fs";
import { isSameProcess } from "@devflow/core/process-proof";
import type { Workspace } from "./workspace.ts";

export interface DaemonState {
  readonly pid: number;
  /** Its start time according to the system; a pid alone proves nothing. */
  readonly identity: string;
  readonly port: number;
  /** The owner's token. Sessions have their own. */
  readonly token: string;
  readonly startedAt: string;
  readonly binaryVersion: string;
  /** The executable's path and modification time: a rebuilt executable of the same version is newer too. */
  readonly executable: string;
  readonly executableTime: number;
}

export function findDaemon(workspace: Workspace): DaemonState | undefined {
  const state = parseState(readOwnFile(workspace));
  return state && isSameProcess(state) ? state : undefined;
}

function readOwnFile({ folder, stateFile }: Workspace): string | undefined {
  let file: number;
  try {
    if (!lstatSync(folder).isDirectory()) return undefined;
    file = openSync(stateFile, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch {
    return undefined;
  }
  try {
    const { uid, mode } = fstatSync(file);
    return uid === process.getuid?.() && (mode & 0o077) === 0 ? readFileSync(file, "utf8") : undefined;
  } finally {
    closeSync(file);
  }
}

function parseState(text: string | undefined): DaemonState | undefined {
  if (text === undefined) return undefined;
  try {
    const state = JSON.parse(text) as Partial<DaemonState>;
    const isWhole =
      Number.isInteger(state.pid) &&
      Number.isInteger(state.port) &&
      typeof state.identity === "string" &&
      typeof state.token === "string" &&
      typeof state.binaryVersion === "string";
    return isWhole ? (state as DaemonState) : undefined;
  } catch {
    return undefined;
  }
}
