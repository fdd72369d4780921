/**
 * Puts the parts of a server together and takes them apart again in the right order.
 *
 * - `openStore(config, log)` the database, whichever it is: the embedded Postgres (started or adopted) or your own.
 * - `composeServer(options)` store, local user, runs, HTTP server.
 */
import { machineBrowse } from "@devflow/browse/http";
import type { Config, Environment } from "@devflow/core/config";
import { homeAt } from "@devflow/core/home";
import type { Log } from "@devflow/core/log";
import { version } from "@devflow/core/version";
import { type Database, openDatabase, type PostgresCluster, startPostgres } from "@devflow/db";
import { folderAssets, type RunningServer, startServer } from "@devflow/server";
import { allCommands } from "../commands.ts";
import { packedPostgres, webAssetsFolder } from "../embedded.ts";
import { usageLine } from "../help.ts";
import { type ComposedEvals, composeEvals } from "./compose-evals.ts";
import { composeRuns } from "./compose-runs.ts";
import { machineSecrets } from "./secrets.ts";
import { superviseCluster } from "./supervise-cluster.ts";

export interface Store {
  readonly database: Database;
  /** Says in a few words which Postgres this is. */
  readonly description: string;
  close(): Promise<void>;
}

interface StoreOptions {
  readonly adopt?: boolean;
  readonly migrate?: boolean;
  readonly poolSize?: number;
  readonly signal?: AbortSignal;
  /** Start the embedded Postgres again when it dies: for a process that goes on for long. */
  readonly supervise?: boolean;
}

export async function startCluster(config: Config, log: Log, signal?: AbortSignal): Promise<PostgresCluster> {
  const packed = packedPostgres();
  return await startPostgres({
    folder: homeAt(config.home).postgresFolder,
    choice: config.postgres,
    ...(packed ? { packed } : {}),
    log,
    ...(signal ? { signal } : {}),
  });
}

export async function openStore(config: Config, log: Log, options: StoreOptions = {}): Promise<Store> {
  const { signal, supervise: _supervise, ...rest } = options;
  if (config.databaseUrl) {
    const database = await openDatabase({ target: config.databaseUrl, log, ...rest });
    return {
      database,

      description: `your Postgres ${database.version}`,
      close: () => database.close(),
    };
  }
  const cluster = await startCluster(config, log, signal);
  try {
    const database = await openDatabase({ target: cluster.admin, log, ...rest });
    const adopted = cluster.adopted ? ", already running" : "";
    const watch = options.supervise ? superviseCluster(cluster, () => startCluster(config, log), log) : undefined;
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

export interface ComposedServer {
  readonly server: RunningServer;
  readonly store: Store;
  readonly token: string;
  stop(): Promise<void>;
}

export async function composeServer(
  config: Config,
  log: Log,
  env: Environment,
  options: StoreOptions = {},
): Promise<ComposedServer> {
  const { machineToken, signingKey } = await machineSecrets(homeAt(config.home));
  const store = await openStore(config, log, { ...options, supervise: true });
  let evals: ComposedEvals | undefined;
  try {
    const commands = (await allCommands())
      .filter((one) => !one.hidden)
      .map((one) => ({
        name: one.name,
        summary: one.summary,
        category: one.category,
        effect: one.effect,
        usage: usageLine(one),
      }));
    const runs = await composeRuns(config, store.database, log, env);
    const ownEvals = await composeEvals(config.home);
    evals = ownEvals;
    const server = await startServer({
      config,
      database: store.database,
      version,
      log,
      machineToken,
      signingKey,
      webAssets: folderAssets(webAssetsFolder()),
      commands,
      runs,
      evals: ownEvals.mount,
      browse: machineBrowse(config.home),
    });
    // From here on runs go on where they stopped; whoever asks finds a server that answers.
    await runs.start();
    return {
      server,
      store,
      token: machineToken.reveal(),
      stop: async () => {
        await runs.stop();
        await server.stop();
        ownEvals.close();
        await store.close();
      },
    };
  } catch (error) {
    evals?.close();
    await store.close();
    throw error;
  }
}
