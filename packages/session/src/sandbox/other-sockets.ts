/**
 * Unix sockets of other programs that an agent could open in the sandbox: a read-only disk does not keep anybody from
 * connecting. Those of databases, container engines and terminals usually are in hidden folders, but need not be.
 *
 * - `socketsIn(table)` the paths in the kernel's table of sockets (`/proc/net/unix`). Pure.
 * - `otherSockets(isVisible)` those that exist and are in a visible place. A socket that is opened later is not among them.
 */
import { lstatSync, readFileSync, realpathSync } from "node:fs";

export function socketsIn(table: string): string[] {
  const paths = table.split("\n").flatMap((line) => /^[0-9a-f]+: (?:\S+ +){6}(\/.*)$/i.exec(line)?.[1] ?? []);
  return [...new Set(paths)].sort();
}

export function otherSockets(isVisible: (path: string) => boolean): string[] {
  const paths = socketsIn(readFileSync("/proc/net/unix", "utf8")).flatMap((path) => realSocket(path) ?? []);
  return [...new Set(paths)].filter(isVisible);
}

/** Without links, such as `/var/run`. Undefined: the path is of another root, or the socket was removed. */
function realSocket(path: string): string | undefined {
  try {
    const real = realpathSync(path);
    return lstatSync(real).isSocket() ? real : undefined;
  } catch {
    return undefined;
  }
}
