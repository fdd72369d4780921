/**
 * Assembles the parts of a server and takes them down in the right order.
 *
 * - `composeServer(store, options)` local user, HTTP server, and the loader of each system. The caller keeps the store.
 */
import type { Config, Environment } from "@devflow/core/config";
import { homeAt } from "@devflow/core/home";
import type { Log } from "@devflow/core/log";
import { machineId } from "@devflow/core/machine-id";
import { version } from "@devflow/core/version";
import type { Database } from "@devflow/db";
import { hasUnfinishedRuns } from "@devflow/runs/unfinished";
import { folderAssets, type RunningServer, type Systems, startServer } from "@devflow/server";
import { webAssetsFolder } from "../embedded.ts";
import { machineSecrets } from "./secrets.ts";

export interface ComposeOptions {
  readonly config: Config;
  readonly log: Log;
  readonly env: Environment;
}

export interface ComposedServer {
  readonly server: RunningServer;
  readonly token: string;
}

export async function composeServer(database: Database, options: ComposeOptions): Promise<ComposedServer> {
  const { config, log } = options;
  const home = homeAt(config.home);
  const { machineToken, signingKey } = await machineSecrets(home);
  const host = await machineId(home);
  const server = await startServer({
    config,
    database,
    version,
    log,
    machineToken,
    signingKey,
    webAssets: folderAssets(webAssetsFolder()),
    commands: async () => (await import("../command-summaries.ts")).commandSummaries(),
    systems: machineSystems({ ...options, database, host }),
  });
  try {
    // Unfinished runs continue by themselves; without any, no run code is loaded.
    if (await hasUnfinishedRuns(database, host)) await server.load("runs");
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { server, token: machineToken.reveal() };
}

export interface MachineParts extends ComposeOptions {
  readonly database: Database;
  /** This machine's id in runs. */
  readonly host: string;
}

/** The loader of each system in the server's table, called on its first request. */
function machineSystems(parts: MachineParts): Systems {
  const { home } = parts.config;
  return {
    runs: async (server) => (await import("./compose-runs.ts")).composeRuns(parts, server),
    evals: async () => (await import("./compose-evals.ts")).composeEvals(home),
    browse: async () => (await import("./compose-browse.ts")).composeBrowse(home),
  };
}
