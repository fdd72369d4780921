/** `devflow brain sync`: pulls the records and the digest of this repository. */
import { digestFor } from "@devflow/brain/digest";
import type { CommandContext, HandlerOf } from "@devflow/core/command";
import { shortLine } from "@devflow/core/plain-text";
import type { BrainDigest } from "@devflow/protocol";
import { pullTeam } from "@devflow/team/cache";
import { counted, duration } from "../data/amounts.ts";
import { tokenFor } from "../sync/connection.ts";
import type { brainSyncRecord } from "./commands.ts";
import { decisionName } from "./decision-view.ts";
import { fetchDigest } from "./fetch-digest.ts";
import { type Brain, type Offline, openBrain } from "./open-brain.ts";

export const brainSync: HandlerOf<typeof brainSyncRecord> = async ({ forAgent }, context) => {
  const brain = await openBrain(context);
  await pullRecords(brain, context);
  const answer = await refreshDigest(brain, context);
  const source = await brain.source(answer);
  const digest = await brain.digest();
  const nowMs = Date.now();
  if (forAgent) {
    const text = digestFor(digest, { nowMs, user: brain.author, agentId: brain.agent.id, branch: brain.branch });
    return context.output.result({ source, text }, text);
  }
  brain.tell(source);
  context.output.result({ source, digest }, overview(digest, brain, nowMs));
};

/** Best effort: the digest says how old it is. */
async function pullRecords({ home, place }: Brain, { env, signal }: CommandContext): Promise<void> {
  const connection = await tokenFor(home, env)(place.to.server, place.to.user);
  if ("waiting" in connection) return;
  const of = { ...place.to, repo: place.repo };
  await pullTeam({ home: home.root, of, connection, now: Date.now, signal });
}

async function refreshDigest({ home, place }: Brain, { env, signal }: CommandContext): Promise<BrainDigest | Offline> {
  const answer = await fetchDigest({ home, env, signal }, { ...place.to, repo: place.repo });
  return "failed" in answer ? { offline: answer.failed } : answer;
}

function overview(digest: BrainDigest, { agent, place }: Brain, nowMs: number): string {
  const ago = (at: string) => `${duration(nowMs - Date.parse(at))} ago`;
  const freezes = digest.decisions.filter(({ type }) => type === "freeze");
  const others = digest.presence.filter((one) => one.agent_id !== agent.id);
  const lines = [
    ...freezes.map(
      (one) =>
        `FREEZE  ${decisionName(one)} ${shortLine(one.title, 100)}${one.expires_at ? `, until ${one.expires_at.slice(0, 16)}` : ""}`,
    ),
    ...others.map(
      (one) =>
        `${shortLine(one.user_name, 30)} (${one.host}) is ${one.state}${one.intent_text ? `: ${shortLine(one.intent_text, 80)}` : ""}${one.branch ? ` [${shortLine(one.branch, 40)}]` : ""}`,
    ),
    ...digest.intents
      .filter((one) => one.agent_id !== agent.id)
      .slice(0, 10)
      .map(
        (one) =>
          `Intent  ${shortLine(one.user_name, 30)}: ${shortLine(one.text, 90)}${one.branch ? ` [${shortLine(one.branch, 40)}]` : ""}, ${ago(one.updated_at)}`,
      ),
    ...digest.handoffs
      .slice(0, 3)
      .map((one) => `Handoff ${shortLine(one.user_name, 30)}: ${shortLine(one.text, 100)}, ${ago(one.at)}`),
  ];
  const amounts = [
    counted(digest.decisions.length, "decision"),
    counted(digest.intents.length, "active intent"),
    `${counted(others.length, "other")} at work`,
  ];
  return [`${place.team.name}: ${amounts.join(", ")}.`, ...lines].join("\n");
}
