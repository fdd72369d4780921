/**
 * Problems during setup, each with a message and the next command to type.
 *
 * - `SetupProblem(message, next)` is expected and printed without a stack trace.
 * - `problemOf(error, again)` recognizes problems of the machine (full disk, no permission); undefined for anything else.
 * - `problemOfOutput(tool, output, again)` recognizes them in the output of npm, Vite or apt.
 */
import { existsSync } from "node:fs";
import { dirname } from "node:path";

export class SetupProblem extends Error {
  /**
   * @param {string} sentence
   * @param {string} next
   */
  constructor(sentence, next) {
    super(sentence);
    this.name = "SetupProblem";
    this.next = next;
  }
}

/**
 * @param {unknown} error
 * @param {string} again the command that repeats what failed
 */
export function problemOf(error, again) {
  if (error instanceof SetupProblem) return error;
  const { code, path } = /** @type {{ code?: string, path?: string }} */ (error ?? {});
  const where = path ?? "this folder";
  if (code === "ENOSPC" || code === "EDQUOT") return diskFull(where, again);
  if (code === "EACCES" || code === "EPERM" || code === "EROFS") return noPermission(where, again);
  return undefined;
}

/**
 * @param {string} tool
 * @param {string} output
 * @param {string} again
 */
export function problemOfOutput(tool, output, again) {
  if (/ENOSPC|EDQUOT|No space left on device/.test(output)) return diskFull("this folder or npm's cache", again);
  if (/EACCES|EPERM|EROFS|Permission denied|are you root\?/.test(output)) {
    const path = /^npm error path (.+)$/m.exec(output)?.[1] ?? "this folder or npm's cache";
    return noPermission(path, again);
  }
  const network =
    /ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT/.exec(output) ??
    /Temporary failure resolving|Could not resolve|Unable to connect|Failed to fetch/.exec(output);
  if (network) {
    const look = tool === "npm" ? "npm config get registry && npm ping" : "cat /etc/apt/sources.list.d/*";
    return new SetupProblem(
      `No network: ${tool} could not reach its servers (${network[0]}).`,
      `Check the connection or the proxy (${look}), then repeat: ${again}`,
    );
  }
  if (/Could not get lock/.test(output)) {
    return new SetupProblem(
      "Another apt is running on this machine.",
      `Wait until it has finished, then repeat: ${again}`,
    );
  }
  if (/EUSAGE|package-lock\.json.*(not|out of) (in )?sync/.test(output)) {
    return new SetupProblem(
      "package.json and package-lock.json do not match.",
      `Update the lock file: npm install --ignore-scripts, then repeat: ${again}`,
    );
  }
  return undefined;
}

/** @param {string} where @param {string} again */
function diskFull(where, again) {
  return new SetupProblem(`The disk that holds ${where} is full.`, `Free some space (df -h .), then repeat: ${again}`);
}

/** @param {string} where @param {string} again */
function noPermission(where, again) {
  const folder = nearestExisting(where);
  return new SetupProblem(
    `No permission to write ${where}.`,
    `Change its owner: sudo chown -R "$(id -un)" "${folder}", then repeat: ${again}`,
  );
}

/** A path that could not be created has no owner; its parent folder does. @param {string} path */
function nearestExisting(path) {
  let folder = path.startsWith("/") ? path : process.cwd();
  while (!existsSync(folder)) folder = dirname(folder);
  return folder;
}
