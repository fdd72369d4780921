/**
 * The only place that listens.
 *
 * - `startServer(options)` binds, and returns the address. Fails with `port_in_use` and a command that helps.
 * - `load(name)` loads a mount before its first request.
 * - `stop()` refuses new requests, ends streams cleanly, waits for current requests up to a limit, then closes all
 *   connections. The database belongs to the caller and stays open.
 *
 * `mounts/table.ts` lists what the server serves. Its own mounts are loaded as lazily as those of the systems.
 */
import { type Clock, systemClock } from "@devflow/core/clock";
import type { Config } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import type { Log } from "@devflow/core/log";
import type { Secret } from "@devflow/core/secret";
import type { Database } from "@devflow/db";
import { type CommandSummary, heartbeatMs } from "@devflow/protocol";
import { accountName } from "./account-name.ts";
import { serverApp } from "./app.ts";
import { callerIdentification } from "./auth/identify-caller.ts";
import { ensureLocalUser } from "./auth/local-user.ts";
import { oneTimeCodes } from "./auth/one-time-codes.ts";
import { signedTokens } from "./auth/tokens.ts";
import { answered, closableGate, listen, urlHost } from "./listening.ts";
import { type LiveTimes, liveStreams } from "./live/live-streams.ts";
import { type Mounted, openMounts } from "./mounts/mounts.ts";
import { dataMounts, signInMounts } from "./mounts/own-mounts.ts";
import type { ServerParts } from "./mounts/server-parts.ts";
import type { MountName } from "./mounts/table.ts";
import { allowedHosts } from "./request-checks/request-checks.ts";
import { assetServer } from "./web-assets/serve-asset.ts";
import { noWebAssets, type WebAssets } from "./web-assets/web-assets.ts";

/** The rows of the table that are not the server's own. */
export type SystemName = Extract<MountName, "runs" | "evals" | "browse">;

export type Systems = Partial<Record<SystemName, (server: ServerParts) => Promise<Mounted>>>;

export interface ServerOptions {
  readonly config: Pick<Config, "host" | "port" | "allowHosts">;
  readonly database: Database;
  readonly version: string;
  readonly log: Log;
  /** The token in `server.json`: its bearer is the person of this machine. */
  readonly machineToken: Secret;
  /** At least 32 bytes; kept between starts, or every tab has to sign in again. */
  readonly signingKey: Secret;
  readonly webAssets?: WebAssets | undefined;
  readonly commands?: () => Promise<readonly CommandSummary[]>;
  readonly clock?: Clock;
  /** Default: the name of the account that runs this process. */
  readonly userName?: string;
  /** The loader of each system of this server, called on its first request. */
  readonly systems?: Systems;
  readonly limits?: Partial<ServerLimits>;
  readonly times?: Partial<LiveTimes>;
}

export interface ServerLimits {
  readonly bodyBytes: number;
  /** Maximum rows of a response; Supabase has the same limit, so clients page alike. */
  readonly rows: number;
  readonly maxStreams: number;
  /** Maximum pending bytes of a slow stream. */
  readonly maxWaitingBytes: number;
  readonly stopWaitMs: number;
  /**
   * An idle connection is closed after this. Longer than a statement may take, so that a slow response is not cut off; live
   * streams are exempt.
   */
  readonly idleTimeoutS: number;
}

export interface RunningServer {
  readonly host: string;
  readonly port: number;
  readonly url: string;
  load(name: SystemName): Promise<void>;
  stop(): Promise<void>;
}

export const defaultLimits: ServerLimits = {
  bodyBytes: 4 * 1024 * 1024,
  rows: 1000,
  maxStreams: 2000,
  maxWaitingBytes: 256 * 1024,
  stopWaitMs: 10_000,
  idleTimeoutS: 30,
};
export const defaultTimes: LiveTimes = { heartbeatMs, pollMs: 5000, announceMs: 50 };

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { config, database, log, clock = systemClock } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const startedAt = new Date(clock.now()).toISOString();
  const tokens = signedTokens(signingKeyBytes(options.signingKey), clock);
  const user = await ensureLocalUser(database, { name: options.userName ?? accountName() });
  const times = { ...defaultTimes, ...options.times };
  const live = liveStreams({ database, clock, log, limits, times });
  const parts: ServerParts = { clock, log, limits, times, wrote: live.wrote };
  const systems = Object.entries(options.systems ?? {}).map(([name, load]) => [name, () => load(parts)] as const);
  const data = dataMounts({
    ...{ mode: "local" as const, database, clock, limits, live, startedAt },
    version: options.version,
    commands: options.commands ?? (async () => []),
    loaded: () => mounts.loaded(),
  });
  const signIn = signInMounts({ tokens, user, codes: oneTimeCodes(clock) });
  const mounts = openMounts({ ...signIn, ...data, ...Object.fromEntries(systems) });

  let hosts: ReadonlySet<string> = new Set();
  const handle = serverApp({
    hosts: () => hosts,
    callers: callerIdentification({ machine: { token: options.machineToken, userId: user.id }, tokens, clock }),
    log,
    mounts,
    ownerId: user.id,
    serveAsset: assetServer(options.webAssets ?? noWebAssets),
  });
  const gate = closableGate(handle);
  const server = listen(config, limits, gate.handle, log);
  const port = server.port ?? config.port;
  hosts = allowedHosts({ host: config.host, port, allowHosts: config.allowHosts });
  log.info({ host: config.host, port }, "server listening");

  let stopping: Promise<void> | undefined;
  return {
    host: config.host,
    port,
    url: `http://${urlHost(config.host)}:${port}`,
    load: async (name) => void (await mounts.get(name)),
    stop() {
      stopping ??= (async () => {
        await mounts.drain();
        gate.close();
        void server.stop(false);
        await mounts.stop();
        await live.stop();
        await answered(server, limits.stopWaitMs);
        await server.stop(true);
        await mounts.close();
        log.info({ port }, "server stopped");
      })();
      return stopping;
    },
  };
}

export function signingKeyBytes(key: Secret): Uint8Array {
  const bytes = new TextEncoder().encode(key.reveal());
  if (bytes.length >= 32) return bytes;
  throw new DevflowError("server_start_failed", { details: { reason: "the signing key is shorter than 32 bytes" } });
}
