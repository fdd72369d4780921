/**
 * The server of a team: accounts, the data plane, live changes and the web app, behind the team's own address.
 *
 * - `startTeamServer(options)` binds, and returns the address. `setupUrl` is there while the server has no team: whoever opens
 *   it first becomes the owner.
 *
 * It has no person of its machine and no token of its machine, runs nothing and reads no file: every row of the mount table
 * that does is on the local server only. A test walks all routes to prove it.
 */
import { type Clock, systemClock } from "@devflow/core/clock";
import type { Config } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import type { Log } from "@devflow/core/log";
import type { Secret } from "@devflow/core/secret";
import type { Database } from "@devflow/db";
import { type CommandSummary, signInPaths } from "@devflow/protocol";
import { serverApp } from "./app.ts";
import { callerIdentification } from "./auth/identify-caller.ts";
import { createMailer, type Mailer } from "./auth/mail/mailer.ts";
import { people } from "./auth/people.ts";
import { signIns } from "./auth/sign-ins.ts";
import { signedTokens } from "./auth/tokens.ts";
import { answered, closableGate, listen, urlHost } from "./listening.ts";
import { type LiveStreams, type LiveTimes, liveStreams } from "./live/live-streams.ts";
import { metricsRoutes, serverMetrics } from "./metrics.ts";
import { mountedRoutes } from "./mounts/mounted-routes.ts";
import { openMounts } from "./mounts/mounts.ts";
import { dataMounts, teamSignInMounts } from "./mounts/own-mounts.ts";
import { mountTable } from "./mounts/table.ts";
import { allowedHosts } from "./request-checks/request-checks.ts";
import { defaultLimits, defaultTimes, type ServerLimits, signingKeyBytes } from "./start-server.ts";
import { assetServer } from "./web-assets/serve-asset.ts";
import { noWebAssets, type WebAssets } from "./web-assets/web-assets.ts";

export interface TeamServerOptions {
  readonly config: Pick<Config, "host" | "port" | "allowHosts">;
  /** What people type: `https://devflow.example.com`. Without TLS only on this machine, to try it out. */
  readonly publicUrl: string;
  readonly database: Database;
  readonly version: string;
  readonly log: Log;
  /** At least 32 bytes; kept between starts and the same on every server of the team, or everybody has to sign in again. */
  readonly signingKey: Secret;
  readonly mail?: { readonly url: Secret; readonly from: string } | undefined;
  readonly metricsToken?: Secret | undefined;
  /** The team's work in the background: it runs while the server does. */
  readonly work?: (parts: TeamWorkParts) => Promise<TeamWork>;
  readonly webAssets?: WebAssets | undefined;
  readonly commands?: () => Promise<readonly CommandSummary[]>;
  readonly clock?: Clock;
  readonly limits?: Partial<ServerLimits>;
  readonly times?: Partial<LiveTimes>;
}

export interface TeamWorkParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly mail: Mailer | undefined;
  readonly wrote: () => void;
}

export interface TeamWork {
  /** Something was written. */
  wake(): void;
  /** What is wrong and does not stop the server, as text. */
  problems(): Promise<readonly string[]>;
  start(): void;
  stop(): Promise<void>;
}

export interface RunningTeamServer {
  readonly port: number;
  /** Where it listens; the proxy forwards to it. */
  readonly url: string;
  readonly publicUrl: string;
  readonly setupUrl: string | undefined;
  stop(): Promise<void>;
}

export async function startTeamServer(options: TeamServerOptions): Promise<RunningTeamServer> {
  const { config, database, log, clock = systemClock } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const times = { ...defaultTimes, ...options.times };
  const key = signingKeyBytes(options.signingKey);
  const metrics = serverMetrics();
  const startedAtMs = clock.now();
  const streams = liveStreams({ database, clock, log, limits, times });
  let work: TeamWork | undefined;
  const problems = async () => (await work?.problems()) ?? [];
  const live: LiveStreams = {
    subscribe: streams.subscribe,
    stop: streams.stop,
    get subscribers() {
      return streams.subscribers;
    },
    wrote(teamId) {
      streams.wrote(teamId);
      work?.wake();
    },
  };

  // Before anything listens.
  publicOrigin(options.publicUrl, config.port || 1);
  let handle: ReturnType<typeof serverApp> | undefined;
  const gate = closableGate((request, server) => {
    if (handle) return handle(request, server);
    throw new DevflowError("server_busy");
  });
  const server = listen(config, limits, gate.handle, log);
  const port = server.port ?? config.port;
  const origin = publicOrigin(options.publicUrl, port);
  const tokens = signedTokens(key, clock, origin);
  const mounts = openMounts({
    ...teamSignInMounts(
      {
        database,
        clock,
        log,
        key,
        tokens,
        publicUrl: origin,
        mail: options.mail,
        wrote: live.wrote,
      },
      problems,
    ),
    ...dataMounts({
      problems,
      ...{ mode: "team" as const, database, clock, limits, live },
      startedAt: new Date(startedAtMs).toISOString(),
      version: options.version,
      commands: options.commands ?? (async () => []),
      loaded: () => mounts.loaded(),
    }),
    metrics: async () => ({
      answer: mountedRoutes((app) =>
        app.route("/", metricsRoutes({ token: options.metricsToken, text: () => metrics.text(gauges()) })),
      ),
    }),
  });
  const gauges = () => ({
    devflow_live_streams: { help: "Open live streams.", value: live.subscribers },
    devflow_uptime_seconds: { help: "Seconds since the start.", value: (clock.now() - startedAtMs) / 1000 },
    process_resident_memory_bytes: { help: "Memory of this process.", value: process.memoryUsage.rss() },
  });
  const { host } = new URL(origin);
  const hosts = allowedHosts({ host: config.host, port, allowHosts: [...config.allowHosts, host] });
  handle = serverApp({
    hosts: () => hosts,
    origins: new Set([origin]),
    callers: callerIdentification({ tokens, clock }),
    log,
    mounts,
    missing: (name) => new DevflowError("not_on_team_server", { details: { what: mountTable[name].title } }),
    signIn: "devflow sync setup",
    headers: origin.startsWith("https:") ? { "strict-transport-security": "max-age=31536000" } : {},
    observe: metrics.observe,
    serveAsset: assetServer(options.webAssets ?? noWebAssets),
  });
  const offered = await people({
    database,
    clock,
    signIns: signIns({ database, clock, log, key, tokens }),
  }).offerSetup();
  const mail = options.mail && createMailer(options.mail.url, options.mail.from);
  work = await options.work?.({ database, clock, log, mail, wrote: () => streams.wrote(undefined) });
  work?.start();
  log.info({ host: config.host, port, publicUrl: origin }, "team server listening");

  let stopping: Promise<void> | undefined;
  return {
    port,
    url: `http://${urlHost(config.host)}:${port}`,
    publicUrl: origin,
    setupUrl: offered && `${origin}${signInPaths.setup}#token=${offered}`,
    stop() {
      stopping ??= (async () => {
        await mounts.drain();
        await work?.stop();
        gate.close();
        void server.stop(false);
        await mounts.stop();
        await live.stop();
        await answered(server, limits.stopWaitMs);
        await server.stop(true);
        await mounts.close();
        log.info({ port }, "team server stopped");
      })();
      return stopping;
    },
  };
}

/** `:0` stands for the port that was chosen, for trying it out. */
function publicOrigin(given: string, port: number): string {
  const url = new URL(given.replace(/:0(\/|$)/, `:${port}$1`));
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (url.protocol === "https:" || (url.protocol === "http:" && isLocal)) return url.origin;
  throw new DevflowError("server_start_failed", {
    details: { reason: `${given} is not an https address. Without TLS, tokens could be read on their way` },
  });
}
