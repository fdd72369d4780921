/** `devflow brain presence [--watch]`. */
import type { HandlerOf } from "@devflow/core/command";
import { shortLine } from "@devflow/core/plain-text";
import type { PresenceRow } from "@devflow/protocol";
import { duration } from "../data/amounts.ts";
import { textTable } from "../text-table.ts";
import type { brainPresenceRecord } from "./commands.ts";
import { followTeam } from "./follow-team.ts";
import { type Brain, isOffline, openBrain } from "./open-brain.ts";

/** Changes after which somebody may have come, gone or turned to something else. */
const telling = new Set(["presence", "intent", "member"]);

export const brainPresence: HandlerOf<typeof brainPresenceRecord> = async ({ watch, everywhere }, context) => {
  const brain = await openBrain(context);
  const { source, presence } = await present(brain, everywhere);
  brain.tell(source);
  if (!watch) return context.output.result({ source, presence }, view(presence));
  const { json } = context.output;
  const shownAs = (rows: readonly PresenceRow[]) => (json ? JSON.stringify(rows) : view(rows));
  let shown = shownAs(presence);
  context.output.item({ presence }, view(presence));
  const { env, signal } = context;
  for await (const change of followTeam({ home: brain.home, env, signal }, brain.place.to)) {
    // `undefined`: the stream was opened, and what happened before it was not told.
    if (change !== undefined && !telling.has(change.kind)) continue;
    const now = await present(brain, everywhere);
    if (shownAs(now.presence) === shown) continue;
    shown = shownAs(now.presence);
    context.output.item({ presence: now.presence }, `\n${view(now.presence)}`);
  }
};

async function present(brain: Brain, everywhere: boolean) {
  const answer = await brain.ask("live_presence", everywhere ? {} : brain.repo);
  const source = await brain.source(answer);
  const nowMs = Date.now();
  const known = isOffline(answer)
    ? (await brain.digest()).presence.filter(({ at }) => nowMs - Date.parse(at) < 300_000)
    : answer;
  return { source, presence: known };
}

function view(presence: readonly PresenceRow[]): string {
  if (presence.length === 0) return "Nobody is at work.";
  const nowMs = Date.now();
  return textTable(
    ["WHO", "HOST", "STATE", "DOING", "BRANCH", "SINCE"].map((title) => ({ title })),
    presence.map((one) => [
      shortLine(one.user_name, 24),
      shortLine(one.handle === null || one.handle === one.user_name ? one.host : `${one.host} (${one.handle})`, 24),
      one.state,
      shortLine(one.intent_text ?? "", 60),
      shortLine(one.branch ?? "", 30),
      duration(nowMs - Date.parse(one.since)),
    ]),
  );
}
