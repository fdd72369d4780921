/**
 * The server's own mounts: health, sign-in, the data plane, live changes and status, each loaded on its first request.
 *
 * - `ownMounts(parts)`, `signInMounts(parts)`.
 */
import type { Clock } from "@devflow/core/clock";
import type { Database } from "@devflow/db";
import type { CommandSummary } from "@devflow/protocol";
import type { LocalUser } from "../auth/local-user.ts";
import type { OneTimeCodes } from "../auth/one-time-codes.ts";
import type { Tokens } from "../auth/tokens.ts";
import type { LiveStreams } from "../live/live-streams.ts";
import { privateAnswer } from "../request-checks/security-headers.ts";
import { mountedRoutes } from "./mounted-routes.ts";
import type { Loads, Mounted } from "./mounts.ts";

export interface SignInParts {
  readonly tokens: Tokens;
  readonly codes: OneTimeCodes;
  readonly user: LocalUser;
}

export interface OwnParts extends SignInParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly limits: { readonly bodyBytes: number; readonly rows: number };
  readonly live: LiveStreams;
  readonly version: string;
  readonly startedAt: string;
  readonly commands: () => Promise<readonly CommandSummary[]>;
  /** Those currently in memory. */
  readonly loaded: () => readonly Mounted[];
}

export function ownMounts({ database, clock, limits, live, loaded, ...parts }: OwnParts): Loads {
  return {
    ...signInMounts(parts),
    dataPlane: async () => {
      const { dataPlaneRoutes } = await import("../data-plane/routes.ts");
      const routes = dataPlaneRoutes({ database, clock, limits, wrote: live.wrote });
      return { answer: mountedRoutes((app) => app.route("/rest/v1", routes)) };
    },
    live: async () => {
      const { liveRoutes } = await import("../live/routes.ts");
      return { answer: mountedRoutes((app) => app.route("/sse", liveRoutes(live))) };
    },
    status: async () => {
      const { statusRoutes } = await import("../status-routes.ts");
      const routes = statusRoutes({
        database,
        ...parts,
        subscribers: () => loaded().reduce((sum, one) => sum + (one.subscribers ?? 0), live.subscribers),
        busy: async () => (await Promise.all(loaded().map((one) => one.busy?.() ?? []))).flat(),
        problems: async () => (await Promise.all(loaded().map((one) => one.problems?.() ?? []))).flat(),
      });
      return { answer: mountedRoutes((app) => app.route("/api", routes)) };
    },
  };
}

export function signInMounts(parts: SignInParts): Loads {
  const signIn = async (): Promise<Mounted> => {
    const { authRoutes } = await import("../auth/routes.ts");
    return { answer: mountedRoutes((app) => app.route("/auth", authRoutes(parts))) };
  };
  return {
    health: async () => ({
      answer: mountedRoutes((app) => app.get("/health", (c) => c.json({ ok: true }, 200, privateAnswer))),
    }),
    exchange: signIn,
    tokens: signIn,
  };
}
