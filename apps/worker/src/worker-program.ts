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
import { startWorker } from "./compose-worker.ts";

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
  const signalled = Promise.withResolvers<void>();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => signalled.resolve());
  const { database, close } = await openStore(config, log);
  try {
    const worker = await startWorker({ config, database, env, log, selfArgv: selfArgv() });
    process.stdout.write(`devflow-worker ${version} drives runs on ${worker.host}. Stop it with Ctrl-C.\n`);
    await Promise.race([signalled.promise, worker.removed]);
    await worker.stop();
    return 0;
  } finally {
    await close();
  }
}

async function openStore(config: Config, log: Log): Promise<{ database: Database; close(): Promise<void> }> {
  const { databaseUrl, workerToken } = config;
  if (databaseUrl) {
    const words = { target: databaseUrl, log, poolSize: 12, ...(workerToken ? { workerToken } : { migrate: false }) };
    const database = await openDatabase(words);
    return { database, close: () => database.close() };
  }
  const { startPostgres } = await import("@devflow/db/postgres");
  const cluster = await startPostgres({ folder: homeAt(config.home).postgresFolder, choice: config.postgres, log });
  const database = await openDatabase({ target: cluster.admin, log, poolSize: 12, migrate: false });
  return {
    database,
    async close() {
      await database.close();
      await cluster.stop();
    },
  };
}

/** The compiled executable, or Bun on the source. */
const selfArgv = (): readonly string[] =>
  Bun.main.startsWith("/$bunfs/") ? [process.execPath] : [process.execPath, "--no-env-file", Bun.main];
