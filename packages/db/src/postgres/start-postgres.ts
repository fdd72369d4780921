/**
 * Manages the embedded Postgres of one home.
 *
 * - `startPostgres(options)` adopts the server running on this folder, or starts one; any number of processes may call it at
 *   once and share one server.
 * - `findPostgres(options)` the server already running on this folder; undefined when there is none.
 * - `postgresLogFile(folder)` the path of its log.
 * - `cluster.stop()` ends it unless another Devflow process uses it; `cluster.release()` leaves it running.
 *
 * A start: read postmaster.pid and try to connect (adopt). Otherwise create the data folder if it is missing, spawn, and
 * wait until a connection succeeds. If the child exits because another server has the folder, go back to adopting; if it
 * exits because processes of a killed server are still exiting, wait and try again.
 *
 * Every user of the server holds a shared advisory lock (see presence.ts), so a stop cannot race with a start.
 */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import type { Log } from "@devflow/core/log";
import type { Secret } from "@devflow/core/secret";
import type { ConnectionTarget } from "../connection-target.ts";
import { type Binaries, findBinaries, type PackedPostgres } from "./binaries.ts";
import { adminRole, checkMajor, ensureDataFolder, readPassword } from "./data-folder.ts";
import { nameProblem, problemIn, startError } from "./name-problem.ts";
import { type Places, type PreparedPlaces, placesFor, preparePlaces } from "./places.ts";
import { isPostmasterOf, readPostmaster, spawnPostmaster } from "./postmaster.ts";
import type { Presence } from "./presence.ts";

export interface StartPostgresOptions {
  /** `<home>/pg` */
  readonly folder: string;
  readonly choice: "auto" | "embedded" | "system";
  readonly packed?: PackedPostgres | undefined;
  /** Trades durability against a power failure (never against a crash) for speed. */
  readonly testing?: boolean;
  readonly log: Log;
  readonly signal?: AbortSignal | undefined;
}

export interface PostgresCluster {
  readonly kind: "embedded" | "system";
  /** "18.4" */
  readonly version: string;
  /** True when it was already running. */
  readonly adopted: boolean;
  readonly dataFolder: string;
  readonly logFile: string;
  readonly pid: number;
  readonly admin: ConnectionTarget;
  /** Leaves it running ("in use") when another Devflow process uses it, unless `force` is set. */
  stop(options?: { readonly evenIfInUse?: boolean }): Promise<"stopped" | "in use">;
  release(): Promise<void>;
}

/** Long, because a killed server may have much to recover. */
const startDeadlineMs = 120_000;
const findDeadlineMs = 10_000;
const emptyPidMs = 1_000;
/** A start takes about 30 ms, and each check reads a small file. */
const lookEveryMs = 3;

export async function startPostgres(options: StartPostgresOptions): Promise<PostgresCluster> {
  const { log, signal, testing = false } = options;
  const deadline = Date.now() + startDeadlineMs;
  try {
    const places = await preparePlaces(options.folder);
    let binaries: Binaries | undefined;
    let waitedFor = "";
    for (;;) {
      signal?.throwIfAborted();
      const adopted = await adopt(places, log, signal, deadline);
      if (adopted) return cluster(places, adopted, true);

      binaries ??= await findBinaries({ ...options, base: places.base, copy: places.user !== undefined });
      await ensureDataFolder(places, binaries, { testing, log });
      await checkMajor(places.data, binaries.major);
      await dropEmptyPid(places);
      const started = await spawnAndWait(places, binaries, { testing, log, signal, deadline });
      if (started.presence) {
        await removeOlderPrograms(places, binaries);
        return cluster(places, started.presence, false);
      }

      const problem = problemIn(started.said);
      const mayPass = problem === "another server" || problem === "orphans";
      if (!mayPass || Date.now() > deadline) throw startError(started.said, places.log);
      if (waitedFor !== problem) log.info({ waitingFor: problem }, "postgres start waits");
      waitedFor = problem;
      await sleep(problem === "orphans" ? 100 : 50);
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw nameProblem(error, options.folder);
  }
}

export async function findPostgres(options: Pick<StartPostgresOptions, "folder" | "log" | "signal">) {
  // Creates no user and no folder: what does not exist cannot be running.
  const places = placesFor(options.folder);
  const found = await adopt(places, options.log, options.signal, Date.now() + findDeadlineMs);
  return found && cluster(places, found, true);
}

export function postgresLogFile(folder: string): string {
  return placesFor(folder).log;
}

interface Running {
  readonly presence: Presence;
  readonly pid: number;
  readonly target: ConnectionTarget;
}

/** A server that is running or starting on this folder; undefined when there is none. */
async function adopt(
  places: Places,
  log: Log,
  signal: AbortSignal | undefined,
  deadline: number,
): Promise<Running | undefined> {
  for (;;) {
    signal?.throwIfAborted();
    const password = await readPassword(places.data);
    const found = password && (await readPostmaster(places.data));
    if (!found) return undefined;
    if (!isPostmasterOf(found.pid, places.data)) {
      await dropStalePid(places, found.text);
      return undefined;
    }
    const running = await tryConnect(found, password, log);
    if (running) return running;
    if (Date.now() > deadline) throw unreachable(found.pid, places.log);
    await sleep(15);
  }
}

/**
 * If the pid was reused for another process of ours after a crash, Postgres would assume a second server. The text is
 * compared once more, because a server may have started since; shared memory guards the rest of the race.
 */
async function dropStalePid(places: Places, text: string): Promise<void> {
  const now = await readPostmaster(places.data);
  if (now?.text === text) await rm(join(places.data, "postmaster.pid"), { force: true });
}

/**
 * Postgres creates the file and then writes it. One that stays empty is from a server killed in between, and no later
 * server would touch it.
 */
async function dropEmptyPid(places: Places): Promise<void> {
  const path = join(places.data, "postmaster.pid");
  const found = await stat(path).catch(() => undefined);
  if (found?.size === 0 && Date.now() - found.mtimeMs > emptyPidMs) await rm(path, { force: true });
}

async function spawnAndWait(
  places: PreparedPlaces,
  binaries: Binaries,
  options: { testing: boolean; log: Log; signal: AbortSignal | undefined; deadline: number },
): Promise<{ presence: Running; said: "" } | { presence: undefined; said: string }> {
  const password = await readPassword(places.data);
  if (!password) throw new DevflowError("internal_state_corruption", { details: { problem: `no ${places.data}` } });
  const { child, ended } = await spawnPostmaster(places, binaries, options.testing);
  let said: string | undefined;
  const end = ended.then((text) => {
    said = text;
  });
  try {
    for (;;) {
      await Promise.race([end, sleep(lookEveryMs)]);
      if (said !== undefined) return { presence: undefined, said };
      options.signal?.throwIfAborted();
      if (Date.now() > options.deadline) throw unreachable(child.pid ?? 0, places.log);
      const found = await readPostmaster(places.data);
      const running = found?.pid === child.pid && found && (await tryConnect(found, password, options.log));
      if (running) return { presence: running, said: "" };
    }
  } catch (error) {
    child.kill("SIGINT");
    throw error;
  }
}

async function tryConnect(
  found: { pid: number; socketFolder: string; port: number; status: string },
  password: Secret,
  log: Log,
): Promise<Running | undefined> {
  if (found.status !== "ready" || !found.socketFolder) return undefined;
  const target = { host: found.socketFolder, port: found.port, user: adminRole, password };
  // Here and not above: the driver is loaded while Postgres starts, and not at all if there is none.
  const { holdPresence } = await import("./presence.ts");
  const presence = await holdPresence(target, log);
  return presence && { presence, pid: found.pid, target };
}

function cluster(places: Places, { presence, pid, target }: Running, adopted: boolean): PostgresCluster {
  return {
    kind: presence.kind,
    version: presence.version,
    adopted,
    dataFolder: places.data,
    logFile: places.log,
    pid,
    admin: target,
    release: () => presence.release(),
    async stop({ evenIfInUse = false } = {}) {
      // A killed server answers nobody, so nobody uses it either.
      const isAlone = await presence.claimAlone().catch(() => true);
      if (!isAlone && !evenIfInUse) {
        await presence.release();
        return "in use";
      }
      // Fast shutdown: open transactions are rolled back, everything committed is written. A pid that is no longer the server's
      // must not be signalled.
      if (isPostmasterOf(pid, places.data)) process.kill(pid, "SIGINT");
      await presence.release();
      while (isPostmasterOf(pid, places.data)) await sleep(10);
      return "stopped";
    },
  };
}

/** Nothing else runs them: this process just started the only server of this folder. */
async function removeOlderPrograms(places: PreparedPlaces, binaries: Binaries): Promise<void> {
  for (const name of await readdir(places.base)) {
    const folder = join(places.base, name);
    const isPrograms = /^postgres-\d/.test(name) && !name.endsWith(".tmp");
    if (isPrograms && !binaries.folder.startsWith(`${folder}/`)) await rm(folder, { recursive: true, force: true });
  }
}

function unreachable(pid: number, log: string): DevflowError {
  const reason = `process ${pid} uses the data folder but does not answer connections; its log is ${log}`;
  return new DevflowError("db_unreachable", { details: { reason } });
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
