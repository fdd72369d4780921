/**
 * The server's own mounts, each loaded on its first request.
 *
 * - `dataMounts(parts)` the data plane, live changes and status; `signInMounts(parts)` health and signing in on this machine;
 *   `teamSignInMounts(parts)` the same for a team server.
 */
import type { Clock } from "@devflow/core/clock";
import type { Database } from "@devflow/db";
import type { CommandSummary, ServerStatus, SignInWays } from "@devflow/protocol";
import type { LocalUser } from "../auth/local-user.ts";
import type { OneTimeCodes } from "../auth/one-time-codes.ts";
import type { TeamSignInParts } from "../auth/team-sign-in.ts";
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

export interface DataParts {
  readonly mode: ServerStatus["mode"];
  readonly database: Database;
  readonly clock: Clock;
  readonly limits: { readonly bodyBytes: number; readonly rows: number };
  readonly live: LiveStreams;
  readonly version: string;
  readonly startedAt: string;
  readonly commands: () => Promise<readonly CommandSummary[]>;
  /** Those currently in memory. */
  readonly loaded: () => readonly Mounted[];
  /** Of the work in the background. */
  readonly problems?: () => Promise<readonly string[]>;
}

export function dataMounts({ database, clock, limits, live, loaded, problems, ...parts }: DataParts): Loads {
  return {
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
        problems: async () =>
          (await Promise.all([...loaded().map((one) => one.problems?.() ?? []), problems?.() ?? []])).flat(),
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
  return { ...openMountsOf({ mode: "local", email: false }), exchange: signIn, tokens: signIn };
}

export function teamSignInMounts(parts: TeamSignInParts, problems?: () => Promise<readonly string[]>): Loads {
  const load = async () => (await import("../auth/team-sign-in.ts")).teamSignIn(parts);
  let made: ReturnType<typeof load> | undefined;
  const once = () => {
    made ??= load();
    return made;
  };
  return {
    ...openMountsOf({ mode: "team", email: parts.mail !== undefined }, problems),
    signIn: async () => {
      const { oauth, session } = await once();
      return { answer: mountedRoutes((app) => app.route("/auth/oauth", oauth).route("/auth", session)) };
    },
    signedIn: async () => {
      const { member } = await once();
      return { answer: mountedRoutes((app) => app.route("/auth", member)) };
    },
  };
}

/** What anybody may ask. */
function openMountsOf(ways: SignInWays, problems?: () => Promise<readonly string[]>): Loads {
  const json = (path: string, body: () => Promise<object>) => async () => ({
    answer: mountedRoutes((app) => app.get(path, async (c) => c.json(await body(), 200, privateAnswer))),
  });
  // It answers that the server works also when what it would count cannot be read.
  const health = async () => {
    const count = (await problems?.().catch(() => []))?.length ?? 0;
    return count === 0 ? { ok: true } : { ok: true, problems: count };
  };
  return { health: json("/health", health), ways: json("/auth/ways", async () => ways) };
}
