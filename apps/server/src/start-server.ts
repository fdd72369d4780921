/**
 * The one place that listens.
 *
 * - `startServer(options)` binds, and returns where. Fails with `port_in_use` and the command that helps.
 * - `stop()` no new requests, streams are ended properly, requests in flight are waited for up to a limit, then all
 *   connections are closed. The database is the caller's and stays open.
 */
import { execFileSync } from "node:child_process";
import { userInfo } from "node:os";
import { type Clock, systemClock } from "@devflow/core/clock";
import type { Config } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import type { Log } from "@devflow/core/log";
import type { Secret } from "@devflow/core/secret";
import type { Database } from "@devflow/db";
import { type CommandSummary, heartbeatMs } from "@devflow/protocol";
import { type Handle, serverApp } from "./app.ts";
import { callerIdentification } from "./auth/identify-caller.ts";
import { ensureLocalUser } from "./auth/local-user.ts";
import { oneTimeCodes } from "./auth/one-time-codes.ts";
import { authRoutes } from "./auth/routes.ts";
import { localTokens } from "./auth/tokens.ts";
import { dataPlaneRoutes } from "./data-plane/routes.ts";
import { failureAnswer } from "./door/failure-answer.ts";
import { allowedHosts } from "./door/request-checks.ts";
import { type LiveTimes, startLiveStreams } from "./live/live-streams.ts";
import { liveRoutes } from "./live/routes.ts";
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
  const live = await startLiveStreams({ database, clock, log, limits, times: { ...defaultTimes, ...options.times } });

  let hosts: ReadonlySet<string> = new Set();
  const handle = serverApp({
    hosts: () => hosts,
    callers: callerIdentification({ machineToken: options.machineToken, localUserId: user.id, tokens, clock }),
    log,
    routes: {
      dataPlane: dataPlaneRoutes({ database, clock, limits, wrote: live.wrote }),
      auth: authRoutes({ tokens, codes: oneTimeCodes(clock), user }),
      live: liveRoutes(live.hub),
      api: statusRoutes({
        database,
        version: options.version,
        startedAt,
        commands: options.commands ?? [],
        subscribers: () => live.hub.subscribers,
      }),
    },
    serveAsset: assetServer(options.webAssets ?? noWebAssets),
  });
  const gate = closableGate(handle);
  let server: Bun.Server<undefined>;
  try {
    server = listen(config, limits, gate.handle, log);
  } catch (error) {
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
        await live.stop();
        await answered(server, limits.stopWaitMs);
        await server.stop(true);
        log.info({ port }, "server stopped");
      })();
      return stopping;
    },
  };
}

function listen(
  config: ServerOptions["config"],
  { idleTimeoutS }: ServerLimits,
  handle: Handle,
  log: Log,
): Bun.Server<undefined> {
  try {
    return Bun.serve({
      hostname: config.host,
      port: config.port,
      idleTimeout: idleTimeoutS,
      development: false,
      // Outside of development Bun shares a port by default: a second server would start in silence, and any other
      // process of this account could take a part of the requests, tokens included.
      reusePort: false,
      // Bun would answer without a body; `readBody` refuses earlier and in JSON.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      fetch: (request, server) => handle(request, server),
      error(error) {
        log.error({ err: error }, "request failed outside of the routes");
        return failureAnswer(error, "/");
      },
    });
  } catch (error) {
    const { host, port } = config;
    const code = (error as { code?: string }).code;
    if (code === "EADDRINUSE") {
      const other = port >= 65_535 ? port - 1 : port + 1;
      throw new DevflowError("port_in_use", { details: { host, port, other }, cause: error });
    }
    const reason = code === "EACCES" ? `this account may not use port ${port}` : (error as Error).message;
    throw new DevflowError("server_start_failed", { details: { reason }, cause: error });
  }
}

/** Turns requests away once closed; what was let in before is answered. */
function closableGate(handle: Handle) {
  let isClosed = false;
  return {
    handle: (async (request, server) => {
      if (!isClosed) return handle(request, server);
      const answer = failureAnswer(new DevflowError("server_busy"), new URL(request.url).pathname);
      answer.headers.set("connection", "close");
      answer.headers.set("retry-after", "1");
      return answer;
    }) satisfies Handle,
    close() {
      isClosed = true;
    },
  };
}

/**
 * Resolves when every request has its whole answer, or after the limit. Not when every connection is closed: one that
 * has sent half a request would hold the server up.
 */
async function answered(server: Bun.Server<undefined>, limitMs: number): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (server.pendingRequests > 0 && performance.now() < deadline) await Bun.sleep(10);
}

function signingKeyBytes(key: Secret): Uint8Array {
  const bytes = new TextEncoder().encode(key.reveal());
  if (bytes.length >= 32) return bytes;
  throw new DevflowError("server_start_failed", { details: { reason: "the signing key is shorter than 32 bytes" } });
}

function accountName(): string {
  try {
    const { username } = userInfo();
    // Bun reads USER, and says "unknown" where a service or a container has none; the system knows better.
    return username === "unknown" ? execFileSync("id", ["-un"], { encoding: "utf8" }).trim() : username;
  } catch {
    // A user id without an entry in the system's list, as in some containers.
    return "local";
  }
}

function urlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
