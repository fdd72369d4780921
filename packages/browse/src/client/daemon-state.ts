/**
 * The daemon that runs for a workspace, as its state file tells and the system proves.
 *
 * - `findDaemon(workspace)` the daemon, or undefined. A repository may carry a file of that name: it counts only when
 *   it is private to this user, no link, and names a process that started when the file says.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from "node:fs";
import { isSameProcess } from "@devflow/core/process-proof";
import type { Workspace } from "./workspace.ts";

export interface DaemonState {
  readonly pid: number;
  /** When it started, as the system tells: a pid alone proves nothing. */
  readonly identity: string;
  readonly port: number;
  /** The owner's. Sessions have tokens of their own. */
  readonly token: string;
  readonly startedAt: string;
  readonly binaryVersion: string;
  /** The file that runs, and when it was made: a rebuilt executable of the same version is newer too. */
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
