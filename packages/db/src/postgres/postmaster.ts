/**
 * The server process.
 *
 * - `readPostmaster(data)` the content of `postmaster.pid`; undefined when there is none.
 * - `isPostmasterOf(pid, data)` whether the pid is a Postgres on this folder, not a later process with the same pid.
 * - `spawnPostmaster(…)` starts it detached, with its output appended to the log file.
 * - `serverSettings(…)` pure: the settings of every embedded cluster.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { open, readFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { environmentOf } from "@devflow/core/config";
import { liveProcess } from "@devflow/core/process-table";
import type { Binaries } from "./binaries.ts";
import type { PreparedPlaces } from "./places.ts";

export interface Postmaster {
  readonly pid: number;
  readonly socketFolder: string;
  readonly port: number;
  readonly status: string;
  readonly text: string;
}

export async function readPostmaster(data: string): Promise<Postmaster | undefined> {
  const text = await readFile(join(data, "postmaster.pid"), "utf8").catch((error: { code?: string }) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  // pid, data folder, start time, port, socket folder, address, shared memory, status
  const lines = text.split("\n").map((line) => line.trim());
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return { pid, port: Number(lines[3] ?? 0), socketFolder: lines[4] ?? "", status: lines[7] ?? "", text };
}

export function isPostmasterOf(pid: number, data: string): boolean {
  const command = liveProcess(pid)?.argv.join(" ") ?? "";
  return command.includes("postgres") && command.includes(data);
}

export interface SpawnedPostmaster {
  readonly child: ChildProcess;
  /** Resolves when it exits, with its output. */
  readonly ended: Promise<string>;
}

export async function spawnPostmaster(
  places: PreparedPlaces,
  binaries: Binaries,
  testing: boolean,
): Promise<SpawnedPostmaster> {
  await turnLog(places.log);
  const log = await open(places.log, "a", 0o600);
  const { size: start } = await log.stat();
  try {
    const settings = serverSettings(binaries, places.socket, testing);
    const words = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const child = spawn(join(binaries.folder, "postgres"), ["-D", places.data, ...words], {
      cwd: "/",
      env: serverEnvironment(),
      stdio: ["ignore", log.fd, log.fd],
      detached: true,
      ...(places.user ?? {}),
    });
    const ended = new Promise<string>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", () => resolve(readFile(places.log).then((all) => all.subarray(start).toString("utf8"))));
    });
    // If all is well, nothing awaits it: an unhandled rejection must not end the process.
    ended.catch(() => {});
    child.unref();
    return { child, ended };
  } finally {
    await log.close();
  }
}

/** Nothing from the user: no PG*, no tokens. */
function serverEnvironment(): Record<string, string> {
  const { DEVFLOW_TEST_TAG: tag } = environmentOf();
  return { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC", ...(tag ? { DEVFLOW_TEST_TAG: tag } : {}) };
}

/** Measured for an idle cluster: each of these is a process or memory that a single machine does not need. */
export function serverSettings(
  { kind, major }: Pick<Binaries, "kind" | "major">,
  socketFolder: string,
  testing: boolean,
): Record<string, string> {
  return {
    "devflow.kind": kind,
    listen_addresses: "",
    port: "5432",
    unix_socket_directories: socketFolder,
    unix_socket_permissions: "0700",
    password_encryption: "scram-sha-256",
    shared_buffers: "24MB",
    max_connections: "100",
    huge_pages: "off",
    jit: "off",
    // A server without an address can have no standby, so no WAL is kept for one.
    wal_level: "minimal",
    max_wal_senders: "0",
    max_wal_size: "256MB",
    min_wal_size: "32MB",
    max_worker_processes: "4",
    max_logical_replication_workers: "0",
    autovacuum_max_workers: "2",
    ...(major >= 18 ? { io_method: "sync" } : {}),
    log_timezone: "UTC",
    TimeZone: "UTC",
    // Acknowledged writes must be on disk. Only tests relax this, and never the commit itself.
    fsync: testing ? "off" : "on",
    full_page_writes: testing ? "off" : "on",
    synchronous_commit: "on",
  };
}

const longestLog = 10 * 1024 * 1024;

async function turnLog(path: string): Promise<void> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size > longestLog) await rename(path, `${path}.1`);
}
