/**
 * Tells a team who is at work on this machine, and who has stopped.
 *
 * - `sendPresence(ports, presence, state)` undefined when the server took it, otherwise why not.
 */
import type { Presence, PresenceState } from "@devflow/brain/presence";
import type { Environment } from "@devflow/core/config";
import type { Home } from "@devflow/core/home";
import { callRpc } from "@devflow/team/remote";
import { tokenFor } from "../sync/connection.ts";

const limitMs = 5_000;

export async function sendPresence(
  { home, env, signal }: { readonly home: Home; readonly env: Environment; readonly signal: AbortSignal },
  { agent, server, team, user, repo, intent, branch, files }: Omit<Presence, "state">,
  state: PresenceState | "left",
): Promise<string | undefined> {
  const connection = await tokenFor(home, env)(server, user);
  if ("waiting" in connection) return connection.waiting;
  const args = {
    ...{ team_id: team, agent, files: [...files], state },
    ...(repo === null ? {} : { repo }),
    ...(intent === null ? {} : { intent_text: intent }),
    ...(branch === null ? {} : { branch }),
  };
  const outcome = await callRpc(connection, "heartbeat", args, { timeoutMs: limitMs, signal });
  if (outcome.is === "answered") return undefined;
  return outcome.is === "refused" ? `${outcome.status}: ${outcome.message}` : outcome.reason;
}
