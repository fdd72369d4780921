/** Signs out on the server as far as it can be reached, and on this machine always. */
import type { CommandContext, HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { homeAt } from "@devflow/core/home";
import { Done } from "@devflow/protocol";
import { callServer } from "../server/client.ts";
import { changeAuth, readAuth, type StoredSignIn } from "./auth-file.ts";
import type { teamSignOutRecord } from "./commands.ts";
import { revokeToken } from "./oauth-client.ts";
import { readRepositoryTeam } from "./repository-team.ts";
import { serverUrl } from "./server-url.ts";
import { tokenFor } from "./token-for.ts";

export const signOut: HandlerOf<typeof teamSignOutRecord> = async ({ everywhere, server: given }, context) => {
  const home = homeAt(context.config().home);
  const server = await serverOf(context, given);
  const known = (await readAuth(home))[server];
  if (!known?.refresh_token) {
    throw new DevflowError("signed_out", { details: { server, reason: "nobody has signed in on this machine" } });
  }
  const told = await tellServer(context, server, known, everywhere);
  // The person stays, so that records they have written still wait for them.
  await changeAuth(home, server, async (now) => {
    if (!now) return now;
    const { refresh_token: _r, access_token: _a, expires_at: _e, ...rest } = now;
    return rest;
  });
  const where = everywhere ? `${server}, everywhere` : server;
  const text = told
    ? `Signed out of ${where}.`
    : `Signed out on this machine. ${server} could not be reached; there the sign-in ends after 30 days.`;
  context.output.result({ server, told }, text);
};

/** False when it cannot be reached. Everywhere cannot be promised then, so that fails. */
async function tellServer(
  context: CommandContext,
  server: string,
  { anon_key: anonKey, refresh_token: refreshToken = "" }: StoredSignIn,
  everywhere: boolean,
): Promise<boolean> {
  try {
    if (anonKey !== undefined) {
      const { endSession } = await import("../supabase/supabase-auth.ts");
      const { token } = await tokenFor(homeAt(context.config().home), context.env, server);
      await endSession({ url: server, anonKey }, token, everywhere ? "global" : "local");
    } else if (everywhere) {
      const { token } = await tokenFor(homeAt(context.config().home), context.env, server);
      await callServer({ url: server, token }, "/auth/sign-out-everywhere", Done, { method: "POST", body: {} });
    } else {
      await revokeToken(server, refreshToken);
    }
    return true;
  } catch (error) {
    if (everywhere || !(error instanceof DevflowError) || error.code !== "team_unreachable") throw error;
    return false;
  }
}

async function serverOf(context: CommandContext, given: string | undefined): Promise<string> {
  if (given !== undefined) return serverUrl(given);
  const committed = await readRepositoryTeam(context);
  if (committed) return committed.server;
  const [only, second] = Object.keys(await readAuth(homeAt(context.config().home)));
  if (only !== undefined && second === undefined) return only;
  throw new DevflowError("usage", {
    details: { problem: "Which server?", next: "Name it: devflow team sign-out --server <url>" },
  });
}
