/**
 * Who a hook speaks for: the agent of the event's session, and its presence.
 *
 * - `agentOf(event, team)` its identity in records.
 * - `showPresence(ports, team, facts)` overwrites the presence file when something changed, and once a minute otherwise: it is synced
 *   to disk, which takes longer than the rest of a hook.
 */
import { agentIdentity } from "../agents/index.ts";
import { type Presence, type PresenceState, readPresence, writePresence } from "../presence/index.ts";
import type { HookEvent } from "./hook-event.ts";
import type { HookPlace, HookPorts, HookTeam } from "./hook-ports.ts";
import { readNotes } from "./session-notes.ts";

export type HookAgent = ReturnType<typeof agentIdentity>;

export function agentOf({ host, session, model }: HookEvent, { user, machine, handle }: HookTeam): HookAgent {
  return agentIdentity({ user, machine, host, session }, { handle, ...(model ? { model } : {}) });
}

const refreshMs = 60_000;
const maxFiles = 20;

export async function showPresence(
  { home, now, wake }: HookPorts,
  { checkout }: HookPlace,
  team: HookTeam,
  { agent, state }: { agent: HookAgent; state: PresenceState },
): Promise<void> {
  const nowMs = now();
  const { intent, edited } = readNotes(home, agent.id);
  const presence: Presence = {
    agent,
    ...{ server: team.server, team: team.team, user: team.user, repo: team.repo },
    folder: checkout.root,
    intent: intent?.text ?? null,
    branch: checkout.branch ?? null,
    files: edited.slice(0, maxFiles),
    state,
    at: new Date(nowMs).toISOString(),
  };
  const before = await readPresence(home, agent.id);
  if (before && nowMs - Date.parse(before.at) < refreshMs && isSame(before, presence)) return;
  await writePresence(home, presence);
  wake(team);
}

function isSame(a: Presence, b: Presence): boolean {
  return JSON.stringify({ ...a, at: "" }) === JSON.stringify({ ...b, at: "" });
}
