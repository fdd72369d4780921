/**
 * Sockets of this process that still listen: a server that a test started and did not stop. Linux only; elsewhere nothing
 * is reported.
 *
 * - `listeningSockets()` inode → address, for TCP and Unix sockets.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

const tcpListening = "0A";
/** __SO_ACCEPTCON */
const unixListening = "00010000";

export function listeningSockets(): Map<string, string> {
  if (process.platform !== "linux") return new Map();
  const own = ownSocketInodes();
  const found = new Map<string, string>();
  for (const file of ["tcp", "tcp6"]) {
    for (const line of readTable(file)) {
      const [, local = "", , state, , , , , , inode = ""] = line;
      if (state === tcpListening && own.has(inode)) found.set(inode, `${file} port ${portOf(local)}`);
    }
  }
  for (const line of readTable("unix")) {
    const [, , , flags, , , inode = "", path = ""] = line;
    if (flags === unixListening && own.has(inode)) found.set(inode, `unix socket ${path}`);
  }
  return found;
}

function ownSocketInodes(): Set<string> {
  const inodes = new Set<string>();
  for (const name of readdirSync("/proc/self/fd")) {
    try {
      const match = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${name}`));
      if (match?.[1]) inodes.add(match[1]);
    } catch {
      // Closed meanwhile: the folder's own descriptor is always one of these.
    }
  }
  return inodes;
}

function readTable(name: string): string[][] {
  try {
    const lines = readFileSync(`/proc/self/net/${name}`, "latin1").trim().split("\n").slice(1);
    return lines.map((line) => line.trim().split(/\s+/));
  } catch {
    return [];
  }
}

const portOf = (local: string): number => Number.parseInt(local.slice(local.lastIndexOf(":") + 1), 16);
