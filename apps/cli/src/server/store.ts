/**
 * The database of a home: the embedded Postgres (started or adopted) or your own.
 *
 * - `openStore(config, log, options)`; `close()` releases it, and stops the Postgres if nobody else uses it.
 */
import type { Config } from "@devflow/core/config";
import { homeAt } from "@devflow/core/home";
import type { Log } from "@devflow/core/log";
import type { Database } from "@devflow/db/database";
import { type PostgresCluster, startPostgres } from "@devflow/db/postgres";
import { packedPostgres } from "../embedded.ts";
import { superviseCluster } from "./supervise-cluster.ts";

export interface Store {
  readonly database: Database;
  /** A short description of this Postgres. */
  readonly description: string;
  close(): Promise<void>;
}

export interface StoreOptions {
  readonly adopt?: boolean;
  readonly migrate?: boolean;
  readonly poolSize?: number;
  readonly signal?: AbortSignal;
  /** Restart the embedded Postgres when it dies: for long-running processes. */
  readonly supervise?: boolean;
}

export async function openStore(config: Config, log: Log, options: StoreOptions = {}): Promise<Store> {
  const { signal, supervise = false, ...rest } = options;
  if (config.databaseUrl) {
    const { openDatabase } = await import("@devflow/db/database");
    const database = await openDatabase({ target: config.databaseUrl, log, ...rest });
    return { database, description: `your Postgres ${database.version}`, close: () => database.close() };
  }
  // The driver is loaded while Postgres starts.
  const [cluster, { openDatabase }] = await Promise.all([
    startCluster(config, log, signal),
    import("@devflow/db/database"),
  ]);
  try {
    const database = await openDatabase({ target: cluster.admin, log, ...rest });
    const adopted = cluster.adopted ? ", already running" : "";
    const watch = supervise ? superviseCluster(cluster, () => startCluster(config, log), log) : undefined;
    return {
      database,
      description: `${cluster.kind} Postgres ${cluster.version}${adopted}`,
      close: async () => {
        const last = (await watch?.stop()) ?? cluster;
        await database.close();
        await last.stop();
      },
    };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

async function startCluster(config: Config, log: Log, signal?: AbortSignal): Promise<PostgresCluster> {
  const packed = packedPostgres();
  return await startPostgres({
    folder: homeAt(config.home).postgresFolder,
    choice: config.postgres,
    ...(packed ? { packed } : {}),
    log,
    ...(signal ? { signal } : {}),
  });
}
