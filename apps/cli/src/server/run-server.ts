/**
 * One server per home, from start to stop.
 *
 * - `runServer(config, options)` takes the home's lock, composes the server, writes the state file, waits for the signal,
 *   and takes everything down again. `onReady` is called with the running server.
 *
 * The lock is held while the server runs and released when the process dies, so two processes can never both serve a home,
 * and a kill -9 leaves nothing to clean up.
 */
import { mkdir, readdir, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { bestEffort } from "@devflow/core/best-effort";
import type { Config, Environment } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import { tryLock } from "@devflow/core/exclusive-lock";
import { faultPoint } from "@devflow/core/fault-point";
import { type Home, homeAt } from "@devflow/core/home";
import { createLog, fileDestination, type Log } from "@devflow/core/log";
import { ensurePrivateHome } from "@devflow/core/private-home";
import { proofOfSelf } from "@devflow/core/process-proof";
import { version } from "@devflow/core/version";
import type { ServerState } from "@devflow/protocol";
import { keepState, removeState } from "./state.ts";
import { openStore } from "./store.ts";

interface RunServerOptions {
  readonly adopt: boolean;
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** The server stops when this resolves or throws; return a pending promise to keep it running. */
  readonly onReady: (state: ServerState, description: string) => Promise<void>;
}

const maxLogBytes = 10 * 1024 * 1024;

/** False when another process already holds this home. */
export async function runServer(config: Config, { adopt, env, signal, onReady }: RunServerOptions): Promise<boolean> {
  const home = homeAt(config.home);
  const { closedFrom } = await prepareHome(home);
  const lock = tryLock(home.serverLock);
  if (!lock) return false;
  const log = await openServerLog(home, config);
  if (closedFrom !== undefined)
    log.warn({ home: home.root, mode: closedFrom.toString(8) }, "the home was open to others and is now 0700");
  try {
    // The server's code is loaded while Postgres starts.
    const [store, { composeServer }] = await Promise.all([
      openStore(config, log, { adopt, signal, supervise: true }),
      import("./compose.ts"),
    ]);
    try {
      const { server, token } = await composeServer(store.database, { config, log, env });
      try {
        const { host, port } = server;
        const startedAt = new Date().toISOString();
        const state: ServerState = { ...proofOfSelf(), host, port, token, version, startedAt };
        const stopKeeping = await keepState(home, state, log);
        try {
          faultPoint("afterServerStateWritten");
          log.info({ port, postgres: store.description, version }, "server started");
          await bestEffort("send waiting records", log, () => sendWaiting(home, config, env));
          await onReady(state, store.description);
        } finally {
          await stopKeeping();
        }
      } finally {
        await removeState(home);
        await server.stop();
      }
    } finally {
      await store.close();
      log.info({}, "server stopped");
    }
  } catch (error) {
    log.error({ err: error }, "server failed");
    throw error;
  } finally {
    lock.release();
  }
  return true;
}

/** Records that were written while no server was running. */
async function sendWaiting(home: Home, { syncEnabled }: Config, env: Environment): Promise<void> {
  const waiting = await readdir(join(home.root, "spool", "new")).catch(() => []);
  if (!syncEnabled || waiting.length === 0) return;
  const { wakeDrainer } = await import("../sync/drain-ports.ts");
  await wakeDrainer(home, env);
}

export async function prepareHome(home: Home): Promise<{ readonly closedFrom: number | undefined }> {
  try {
    const prepared = await ensurePrivateHome(home);
    await mkdir(home.logFolder, { recursive: true, mode: 0o700 });
    await mkdir(home.workspaces, { recursive: true, mode: 0o700 });
    return prepared;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof DevflowError || code === "ENOSPC") throw error;
    throw new DevflowError("home_unusable", { details: { path: home.root, reason: message }, cause: error });
  }
}

export async function openServerLog(home: Home, config: Config): Promise<Log> {
  const size = await stat(home.serverLog).then(
    (found) => found.size,
    () => 0,
  );
  if (size > maxLogBytes) await rename(home.serverLog, `${home.serverLog}.1`);
  return createLog({ level: config.logLevel, module: "server", destination: fileDestination(home.serverLog) });
}
