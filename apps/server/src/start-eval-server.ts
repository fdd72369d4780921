/**
 * The eval screens alone, without a database: for `devflow eval watch --port`.
 *
 * - `startEvalServer(options)` binds, and returns the address and a function that creates one-time codes for its pages. The
 *   request checks are those of the whole server: Host, Origin, a token on every route, the same headers.
 *
 * Requests for anything else get the command that starts the whole server.
 */
import { randomBytes } from "node:crypto";
import { systemClock } from "@devflow/core/clock";
import type { Config } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import type { Log } from "@devflow/core/log";
import { Secret } from "@devflow/core/secret";
import type { CommandSummary } from "@devflow/protocol";
import { accountName } from "./account-name.ts";
import { serverApp } from "./app.ts";
import { callerIdentification } from "./auth/identify-caller.ts";
import { localUserId } from "./auth/local-user.ts";
import { oneTimeCodes } from "./auth/one-time-codes.ts";
import { signedTokens } from "./auth/tokens.ts";
import { answered, closableGate, listen, urlHost } from "./listening.ts";
import { quietStreams } from "./live/quiet-streams.ts";
import { mountedRoutes } from "./mounts/mounted-routes.ts";
import { type Mounted, openMounts } from "./mounts/mounts.ts";
import { signInMounts } from "./mounts/own-mounts.ts";
import { allowedHosts } from "./request-checks/request-checks.ts";
import { privateAnswer } from "./request-checks/security-headers.ts";
import { assetServer } from "./web-assets/serve-asset.ts";
import { noWebAssets, type WebAssets } from "./web-assets/web-assets.ts";

export interface EvalServerOptions {
  readonly config: Pick<Config, "host" | "port" | "allowHosts" | "home">;
  readonly evals: () => Promise<Mounted>;
  readonly log: Log;
  readonly webAssets?: WebAssets | undefined;
  readonly commands?: () => Promise<readonly CommandSummary[]>;
}

export interface EvalServer {
  readonly port: number;
  readonly url: string;
  /** For the link that opens a page; works once. */
  issueCode(minutes: number): string;
  stop(): Promise<void>;
}

export function startEvalServer({ config, evals, log, webAssets, commands }: EvalServerOptions): EvalServer {
  const tokens = signedTokens(randomBytes(48), systemClock);
  const codes = oneTimeCodes(systemClock);
  const user = { id: localUserId, name: accountName(), teams: [] };
  const streams = quietStreams();
  const notHere = () => new DevflowError("server_not_running", { details: { home: config.home } });
  const mounts = openMounts({
    ...signInMounts({ tokens, codes, user }),
    live: async () => ({
      answer: mountedRoutes((app) => app.route("/sse", streams.routes)),
      stop: () => streams.stop(),
    }),
    status: async () => ({
      answer: mountedRoutes((app) =>
        app
          .get("/api/commands", async (c) => c.json({ commands: (await commands?.()) ?? [] }, 200, privateAnswer))
          .get("/api/status", () => {
            throw notHere();
          }),
      ),
    }),
    evals,
  });
  let hosts: ReadonlySet<string> = new Set();
  const handle = serverApp({
    hosts: () => hosts,
    // Nobody gets this token: pages sign in with a code.
    callers: callerIdentification({
      machine: { token: new Secret(randomBytes(32).toString("base64url")), userId: localUserId },
      tokens,
      clock: systemClock,
    }),
    log,
    mounts,
    missing: notHere,
    ownerId: localUserId,
    serveAsset: assetServer(webAssets ?? noWebAssets),
  });
  const gate = closableGate(handle);
  const server = listen(config, { idleTimeoutS: 30 }, gate.handle, log);
  const port = server.port ?? config.port;
  hosts = allowedHosts({ host: config.host, port, allowHosts: config.allowHosts });
  return {
    port,
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
