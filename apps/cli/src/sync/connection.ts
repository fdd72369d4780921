/**
 * How drains, pulls and commands reach a server as a person.
 *
 * - `tokenFor(home, env)` the port of `@devflow/team/drain`: a connection with a token that is valid now, or why there is none.
 * - `requireConnection(home, env, to)` the same for a command that cannot go on without; throws `signed_out`, `team_unreachable`, or
 *   `server_not_running` for the local server.
 */
import type { Environment } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import type { Home } from "@devflow/core/home";
import { Secret } from "@devflow/core/secret";
import type { TokenFor } from "@devflow/team/drain";
import type { Connection } from "@devflow/team/remote";
import type { Destination } from "@devflow/team/spool";
import { findServer, urlOf } from "../server/state.ts";
import { localServer } from "./place.ts";

export const tokenFor =
  (home: Home, env: Environment): TokenFor =>
  async (server, user) => {
    if (server === localServer) {
      const state = await findServer(home);
      return state
        ? { url: urlOf(state), token: new Secret(state.token) }
        : { waiting: "the local server is not running; start it: devflow up -d" };
    }
    const { tokenFor: personToken, somebodyElse } = await import("../team/token-for.ts");
    try {
      const { token, headers } = await personToken(home, env, server, user);
      return { url: server, token: new Secret(token), ...(headers ? { headers } : {}) };
    } catch (error) {
      if (error instanceof DevflowError && error.code === "signed_out")
        return {
          waiting:
            error.details.reason === somebodyElse
              ? "they were written by somebody who is not signed in there now; that person signs in with: devflow sync setup --again"
              : "you are not signed in there; sign in: devflow sync setup",
        };
      if (error instanceof DevflowError) return { waiting: error.message };
      throw error;
    }
  };

export async function requireConnection(home: Home, env: Environment, to: Destination): Promise<Connection> {
  if (to.server !== localServer) {
    const { tokenFor: personToken } = await import("../team/token-for.ts");
    const { token, headers } = await personToken(home, env, to.server, to.user);
    return { url: to.server, token: new Secret(token), ...(headers ? { headers } : {}) };
  }
  const found = await tokenFor(home, env)(to.server, to.user);
  if (!("waiting" in found)) return found;
  throw new DevflowError("server_not_running", { details: { home: home.root } });
}
