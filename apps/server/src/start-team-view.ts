/**
 * The team's screens on this machine, over a data plane that is somewhere else: for teams in a Supabase project, which serves no web app.
 *
 * - `startTeamView(options)` binds, and returns the address and a function that creates one-time codes for its pages. The request checks are
 *   those of the whole server: Host, Origin, a token on every route, the same headers.
 *
 * The person's own token never reaches a page: `call` adds it here.
 */
import { randomBytes } from "node:crypto";
import { systemClock } from "@devflow/core/clock";
import type { Config } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import type { Log } from "@devflow/core/log";
import { Secret } from "@devflow/core/secret";
import type { CommandSummary, ServerStatus, TeamRow } from "@devflow/protocol";
import { serverApp } from "./app.ts";
import { callerIdentification } from "./auth/identify-caller.ts";
import { oneTimeCodes } from "./auth/one-time-codes.ts";
import { signedTokens } from "./auth/tokens.ts";
import { answered, closableGate, listen, urlHost } from "./listening.ts";
import { quietStreams } from "./live/quiet-streams.ts";
import { mountedRoutes } from "./mounts/mounted-routes.ts";
import { openMounts } from "./mounts/mounts.ts";
import { signInMounts } from "./mounts/own-mounts.ts";
import { mountTable } from "./mounts/table.ts";
import { readBody } from "./request-checks/read-body.ts";
import { allowedHosts } from "./request-checks/request-checks.ts";
import { privateAnswer } from "./request-checks/security-headers.ts";
import { assetServer } from "./web-assets/serve-asset.ts";
import { noWebAssets, type WebAssets } from "./web-assets/web-assets.ts";

export interface TeamViewOptions {
  readonly config: Pick<Config, "host" | "port" | "allowHosts">;
  readonly user: { readonly id: string; readonly name: string };
  /** A function of the data plane, as that person. */
  readonly call: (fn: string, body: string) => Promise<Response>;
  readonly teams: () => Promise<readonly TeamRow[]>;
  readonly version: string;
  readonly log: Log;
  readonly webAssets?: WebAssets | undefined;
  readonly commands?: () => Promise<readonly CommandSummary[]>;
}

export interface TeamView {
  readonly url: string;
  /** For the link that opens a page; works once. */
  issueCode(minutes: number): string;
  stop(): Promise<void>;
}

const maxBodyBytes = 1024 * 1024;

export function startTeamView(options: TeamViewOptions): TeamView {
  const { config, user, call, log } = options;
  const tokens = signedTokens(randomBytes(48), systemClock);
  const codes = oneTimeCodes(systemClock);
  const streams = quietStreams();
  const startedAt = new Date().toISOString();
  const mounts = openMounts({
    ...signInMounts({ tokens, codes, user: { ...user, teams: [] } }),
    live: async () => ({
      answer: mountedRoutes((app) => app.route("/sse", streams.routes)),
      stop: () => streams.stop(),
    }),
    dataPlane: async () => ({
      answer: mountedRoutes((app) =>
        app.post("/rest/v1/rpc/:fn{[a-z_]+}", async (c) => {
          const answer = await call(c.req.param("fn"), await readBody(c.req.raw, maxBodyBytes));
          const type = answer.headers.get("content-type") ?? "application/json";
          return new Response(answer.body, {
            status: answer.status,
            headers: { "content-type": type, ...privateAnswer },
          });
        }),
      ),
    }),
    status: async () => ({
      answer: mountedRoutes((app) =>
        app
          .get("/api/commands", async (c) =>
            c.json({ commands: (await options.commands?.()) ?? [] }, 200, privateAnswer),
          )
          .get("/api/status", async (c) => c.json(await statusOf(options, startedAt), 200, privateAnswer)),
      ),
    }),
  });
  let hosts: ReadonlySet<string> = new Set();
  const handle = serverApp({
    hosts: () => hosts,
    // Nobody gets this token: pages sign in with a code.
    callers: callerIdentification({
      machine: { token: new Secret(randomBytes(32).toString("base64url")), userId: user.id },
      tokens,
      clock: systemClock,
    }),
    log,
    mounts,
    missing: (name) => new DevflowError("not_on_team_server", { details: { what: mountTable[name].title } }),
    ownerId: user.id,
    signIn: "devflow dashboard",
    serveAsset: assetServer(options.webAssets ?? noWebAssets),
  });
  const gate = closableGate(handle);
  const server = listen(config, { idleTimeoutS: 30 }, gate.handle, log);
  const port = server.port ?? config.port;
  hosts = allowedHosts({ host: config.host, port, allowHosts: config.allowHosts });
  return {
    url: `http://${urlHost(config.host)}:${port}`,
    issueCode: (minutes) => codes.issue(minutes).code,
    async stop() {
      await mounts.drain();
      gate.close();
      void server.stop(false);
      await mounts.stop();
      await answered(server, 2_000);
      await server.stop(true);
      await mounts.close();
    },
  };
}

async function statusOf({ user, teams, version }: TeamViewOptions, startedAt: string): Promise<ServerStatus> {
  // The project's own business: what is not known is said to be so.
  const unknown = { version: "unknown", fsync: "on", synchronousCommit: "on", fullPageWrites: "on" };
  return {
    ...{ version, mode: "team", startedAt, user, busy: [], problems: [] },
    runtime: { name: "Bun", version: Bun.version, platform: `${process.platform}-${process.arch}` },
    postgres: { kind: "external", ...unknown },
    migrations: { applied: 0, latest: "unknown" },
    live: { subscribers: 0 },
    teams: [...(await teams())],
  };
}
