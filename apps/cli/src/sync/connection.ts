/**
 * How drains, pulls and commands reach a server as a person.
 *
 * - `tokenFor(home)` the port of `@devflow/team/drain`: a connection with a token that is valid now, or why there is none.
 * - `requireConnection(home, to)` the same for a command that cannot go on without; throws `team_unreachable`, or `server_not_running`
 *   for the local server.
 */
import { join } from "node:path";
import { readPrivateFile } from "@devflow/core/atomic-file";
import { DevflowError } from "@devflow/core/errors";
import type { Home } from "@devflow/core/home";
import { parseJson } from "@devflow/core/read-if-there";
import { Secret } from "@devflow/core/secret";
import type { TokenFor } from "@devflow/team/drain";
import type { Connection } from "@devflow/team/remote";
import type { Destination } from "@devflow/team/spool";
import { z } from "zod";
import { findServer, urlOf } from "../server/state.ts";
import { localServer } from "./place.ts";

const SignIns = z.record(
  z.string(),
  z.looseObject({ user_id: z.string(), access_token: z.string().optional(), expires_at: z.number().optional() }),
);

export const tokenFor =
  (home: Home): TokenFor =>
  async (server, user) => {
    if (server === localServer) {
      const state = await findServer(home);
      return state
        ? { url: urlOf(state), token: new Secret(state.token) }
        : { waiting: "the local server is not running; start it: devflow up -d" };
    }
    const found = SignIns.safeParse(parseJson((await readPrivateFile(join(home.root, "auth.json"))) ?? "")).data?.[
      server
    ];
    const isValid = found?.access_token !== undefined && (found.expires_at ?? 0) > Date.now() / 1000;
    if (!isValid || found.user_id !== user)
      return { waiting: "you are not signed in there; sign in: devflow sync setup" };
    return { url: server, token: new Secret(found.access_token ?? "") };
  };

export async function requireConnection(home: Home, to: Destination): Promise<Connection> {
  const found = await tokenFor(home)(to.server, to.user);
  if (!("waiting" in found)) return found;
  if (to.server === localServer) throw new DevflowError("server_not_running", { details: { home: home.root } });
  throw new DevflowError("team_unreachable", { details: { server: to.server, reason: found.waiting } });
}
