/**
 * What `devflow-worker` does when a person or a service manager starts it.
 *
 * - `workerProgram(words)` the exit code: 0 after SIGINT or SIGTERM, or when the machine was removed from the fleet.
 */

import type { Config } from "@devflow/core/config";
import { loadConfig, processEnvironment } from "@devflow/core/config";
import { DevflowError, errorReport } from "@devflow/core/errors";
import { homeAt } from "@devflow/core/home";
import type { Log } from "@devflow/core/log";
import { createLog } from "@devflow/core/log";
import { version } from "@devflow/core/version";
import { type Database, openDatabase } from "@devflow/db";
import { requireTokenTaken } from "@devflow/runs/fleet";
import { startWorker } from "./compose-worker.ts";
import { endRuntime } from "./temporal/sdk-runtime.ts";

const help = `devflow-worker: drives runs of the Temporal engine on this machine (docs/fleet.md)

Usage: devflow-worker [--help] [--version]

It is configured like devflow: DEVFLOW_* variables, then ~/.devflow/config.yaml.
  DEVFLOW_TEMPORAL_ADDRESS   the Temporal server, host:port
  DEVFLOW_DATABASE_URL       the Postgres that the server uses; by default the one of the server of this home
  DEVFLOW_WORKER_TOKEN       on another machine than the server's: a token with the scope worker
  DEVFLOW_WORKER_LABELS      labels for devflow run start --on
All settings: devflow config list
`;

export async function workerProgram(words: readonly string[]): Promise<number> {
  if (words.includes("--version") || words.includes("-v")) {
    process.stdout.write(`${version}\n`);
    return 0;
  }
  if (words.includes("--help") || words.includes("-h")) {
    process.stdout.write(help);
    return 0;
  }
  try {
    if (words.length > 0) {
      const problem = `devflow-worker takes no argument "${words[0]}".`;
      throw new DevflowError("usage", { details: { problem, next: "See: devflow-worker --help" } });
    }
    return await work();
  } catch (error) {
    const { code, message, hint, exit } = errorReport(error);
    process.stderr.write(`${message}\n${hint ? `${hint}\n` : ""}`);
    if (code === "internal") process.stderr.write(`${(error as Error).stack ?? ""}\n`);
    return exit;
  }
}

async function work(): Promise<number> {
  const env = processEnvironment();
  const config = loadConfig({ env });
  const log = createLog({ level: config.logLevel, module: "worker" });
  const signalled = Promise.withResolvers<"signalled">();
  let isDriving = false;
  const end = (): void => {
    signalled.resolve("signalled");
    // Nothing is driven yet, and what it waits for, such as a database, may not come for long.
    if (!isDriving) process.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, end);
  const { database, close } = await openStore(config, log);
  try {
    if (config.workerToken) await requireTokenTaken(database);
    isDriving = true;
    const worker = await startWorker({ config, database, env, log, selfArgv: selfArgv() });
    process.stdout.write(`devflow-worker ${version} drives runs on ${worker.host}. Stop it with Ctrl-C.\n`);
    const cause = await Promise.race([signalled.promise, worker.removed]);
    await worker.stop();
    if (cause === "signalled") return 0;
    // To a worker whose token is refused, its machine looks like one that was removed.
    if (config.workerToken) await requireTokenTaken(database);
    process.stdout.write(`${worker.host} was removed from the fleet. Start devflow-worker again to bring it back.\n`);
    return 0;
  } finally {
    await endRuntime();
    await close();
  }
}

async function openStore(config: Config, log: Log): Promise<{ database: Database; close(): Promise<void> }> {
  const { databaseUrl, workerToken } = config;
  if (databaseUrl) {
    const words = { target: databaseUrl, log, poolSize: 12, ...(workerToken ? { workerToken } : { migrate: false }) };
    const database = await openDatabase(words).catch((error: unknown) => {
      throw workerToken ? error : tokenMissing(error);
    });
    return { database, close: () => database.close() };
  }
  const lacks = (reason: string, cause?: unknown) =>
    new DevflowError("worker_without_database", { details: { reason }, ...(cause ? { cause } : {}) });
  if (workerToken) throw lacks("it has a token for one that it shares, and DEVFLOW_DATABASE_URL is not set");
  const { startPostgres } = await import("@devflow/db/postgres");
  const folder = homeAt(config.home).postgresFolder;
  const cluster = await startPostgres({ folder, choice: config.postgres, log }).catch((error: unknown) => {
    // Its programs are the server's, which has them unpacked while it runs.
    const isAway = error instanceof DevflowError && error.code === "db_binaries_missing";
    throw isAway ? lacks(`no server runs for ${config.home}, and DEVFLOW_DATABASE_URL is not set`, error) : error;
  });
  const database = await openDatabase({ target: cluster.admin, log, poolSize: 12, migrate: false });
  return {
    database,
    async close() {
      await database.close();
      await cluster.stop();
    },
  };
}

/** The role of workers may act as a worker only, and for that the token is needed: more rights are not the answer. */
function tokenMissing(error: unknown): unknown {
  if (!(error instanceof DevflowError) || error.code !== "db_privileges") return error;
  const { role, reason } = error.details;
  if (role !== "devflow_worker") return error;
  const next = "Set DEVFLOW_WORKER_TOKEN: devflow team token create <name> --scope worker";
  return new DevflowError("db_privileges", { details: { role, reason, next }, cause: error });
}

/** The compiled executable, or Bun on the source. */
const selfArgv = (): readonly string[] =>
  Bun.main.startsWith("/$bunfs/") ? [process.execPath] : [process.execPath, "--no-env-file", Bun.main];
