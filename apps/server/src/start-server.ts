/**
 * The one place that listens.
 *
 * - `startServer(options)` binds, and returns where. Fails with `port_in_use` and the command that helps.
 * - `stop()` no new requests, streams are ended properly, requests in flight are waited for up to a limit, then all
 *   connections are closed. The database is the caller's and stays open.
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
import { authRoutes } from "./auth/routes.ts";
import { localTokens } from "./auth/tokens.ts";
import type { BrowseMount } from "./browse-mount.ts";
import { dataPlaneRoutes } from "./data-plane/routes.ts";
import { allowedHosts } from "./door/request-checks.ts";
import type { EvalsMount } from "./evals-mount.ts";
import { answered, closableGate, listen, urlHost } from "./listening.ts";
import { type LiveTimes, startLiveStreams } from "./live/live-streams.ts";
import { liveRoutes } from "./live/routes.ts";
import { startRunStreams } from "./live/run-streams.ts";
import type { RunsMount } from "./runs-mount.ts";
import { statusRoutes } from "./status-routes.ts";
import { assetServer } from "./web-assets/serve-asset.ts";
import { noWebAssets, type WebAssets } from "./web-assets/web-assets.ts";

export interface ServerOptions {
  readonly config: Pick<Config, "host" | "port" | "allowHosts">;
  readonly database: Database;
  readonly version: string;
  readonly log: Log;
  /** What `server.json` holds: the bearer of it is the person of this machine. */
  readonly machineToken: Secret;
  /** At least 32 bytes; kept between starts, or every tab has to sign in again. */
  readonly signingKey: Secret;
  readonly webAssets?: WebAssets | undefined;
  readonly commands?: readonly CommandSummary[];
  readonly clock?: Clock;
  /** Default: the name of the account that runs this process. */
  readonly userName?: string;
  /** Runs, when this server has them. */
  readonly runs?: RunsMount;
  /** The eval results of this machine, when this server shows them. */
  readonly evals?: EvalsMount | undefined;
  /** The browsers of this machine's workspaces, when this server shows them. */
  readonly browse?: BrowseMount | undefined;
  readonly limits?: Partial<ServerLimits>;
  readonly times?: Partial<LiveTimes>;
}

export interface ServerLimits {
  readonly bodyBytes: number;
  /** Rows of one answer; Supabase has the same limit, so clients page alike. */
  readonly rows: number;
  readonly maxStreams: number;
  /** Bytes that may wait for one slow stream. */
  readonly maxWaitingBytes: number;
  readonly stopWaitMs: number;
  /**
   * A connection that sends and gets nothing is closed after this. Longer than a statement may take, so that a slow
   * answer is not cut off; live streams are exempt.
   */
  readonly idleTimeoutS: number;
}

export interface RunningServer {
  readonly host: string;
  readonly port: number;
  readonly url: string;
  stop(): Promise<void>;
}

const defaultLimits: ServerLimits = {
  bodyBytes: 4 * 1024 * 1024,
  rows: 1000,
  maxStreams: 2000,
  maxWaitingBytes: 256 * 1024,
  stopWaitMs: 10_000,
  idleTimeoutS: 30,
};
const defaultTimes: LiveTimes = { heartbeatMs, pollMs: 5000, announceMs: 50 };

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { config, database, log, clock = systemClock } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const startedAt = new Date(clock.now()).toISOString();
  const tokens = localTokens(signingKeyBytes(options.signingKey), clock);
  const user = await ensureLocalUser(database, { name: options.userName ?? accountName() });
  const times = { ...defaultTimes, ...options.times };
  const live = await startLiveStreams({ database, clock, log, limits, times });
  const { runs, evals } = options;
  const runStreams = runs && startRunStreams({ runs: runs.live, clock, log, limits, times });
  const forget = runs?.live.onVisible(() => live.wrote(undefined));

  let hosts: ReadonlySet<string> = new Set();
  const handle = serverApp({
    hosts: () => hosts,
    callers: callerIdentification({ machineToken: options.machineToken, localUserId: user.id, tokens, clock }),
    log,
    routes: {
      dataPlane: dataPlaneRoutes({ database, clock, limits, wrote: live.wrote }),
      auth: authRoutes({ tokens, codes: oneTimeCodes(clock), user }),
      live: liveRoutes(live.hub, runStreams),
      runs: options.runs?.routes,
      evals,
      browse: options.browse,
      api: statusRoutes({
        database,
        version: options.version,
        startedAt,
        commands: options.commands ?? [],
        subscribers: () => live.hub.subscribers + (runStreams?.subscribers ?? 0) + (evals?.subscribers ?? 0),
        busy: async () => (await options.runs?.busy()) ?? [],
      }),
    },
    ownerId: user.id,
    serveAsset: assetServer(options.webAssets ?? noWebAssets),
  });
  const gate = closableGate(handle);
  let server: Bun.Server<undefined>;
  try {
    server = listen(config, limits, gate.handle, log);
  } catch (error) {
    forget?.();
    await runStreams?.stop();
    await live.stop();
    throw error;
  }
  const port = server.port ?? config.port;
  hosts = allowedHosts({ host: config.host, port, allowHosts: config.allowHosts });
  log.info({ host: config.host, port }, "server listening");

  let stopping: Promise<void> | undefined;
  return {
    host: config.host,
    port,
    url: `http://${urlHost(config.host)}:${port}`,
    stop() {
      stopping ??= (async () => {
        gate.close();
        void server.stop(false);
        forget?.();
        evals?.stop();
        await runStreams?.stop();
        await live.stop();
        await answered(server, limits.stopWaitMs);
        await server.stop(true);
        log.info({ port }, "server stopped");
      })();
      return stopping;
    },
  };
}

function signingKeyBytes(key: Secret): Uint8Array {
  const bytes = new TextEncoder().encode(key.reveal());
  if (bytes.length >= 32) return bytes;
  throw new DevflowError("server_start_failed", { details: { reason: "the signing key is shorter than 32 bytes" } });
}
