/**
 * Where a workspace's daemon listens for commands: a socket in the home, which nobody else can open or put there. So a
 * command reads no state file and proves no process, and needs no module of Node for it (node:fs alone takes 1 ms).
 *
 * - `socketPath(home, root)` of the workspace with that root; undefined where its path would be too long for a socket.
 * - `socketPaths(env, cwd)` of every workspace that `cwd` may belong to, one by one, the innermost first. The daemon knows whether
 *   the folder is really in its workspace.
 */
import type { Environment } from "@devflow/core/environment";

/** Of a socket's address, without the zero at its end: 107 on Linux, 103 on macOS. */
const longestPath = 103;

export function socketPath(home: string, root: string): string | undefined {
  const path = `${home}/browse-workspaces/${nameOf(root)}.sock`;
  // A character may take several bytes; such paths use the state file.
  return path.length <= longestPath && !/[^\x20-\x7e]/.test(path) ? path : undefined;
}

export function* socketPaths(env: Environment, cwd: string): Generator<string, void> {
  const home = env.DEVFLOW_HOME || (env.HOME ? `${env.HOME}/.devflow` : "");
  if (!home.startsWith("/")) return;
  for (let root = cwd; ; root = root.slice(0, root.lastIndexOf("/")) || "/") {
    const path = socketPath(home, root);
    if (path !== undefined) yield path;
    if (root === "/") return;
  }
}

/** 53 bits (cyrb53). Two roots with the same name are told apart by their daemons. */
function nameOf(root: string): string {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let at = 0; at < root.length; at++) {
    const code = root.charCodeAt(at);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
}
