/** `devflow team agents`: how the team uses its agents, from the transcripts that people share. */
import type { HandlerOf } from "@devflow/core/command";
import { shortLine } from "@devflow/core/plain-text";
import type { AgentUsage } from "@devflow/protocol";
import { share } from "../eval/words.ts";
import { callRpc } from "../server/client.ts";
import { textTable } from "../text-table.ts";
import type { teamAgentsRecord } from "./commands.ts";
import { findTarget } from "./team-target.ts";

export const teamAgents: HandlerOf<typeof teamAgentsRecord> = async ({ days, repo, ...choice }, context) => {
  const { address, team } = await findTarget(context, choice);
  const about = { team_id: team.id, days, ...(repo === undefined ? {} : { repo }) };
  const usage = await callRpc(address, "agent_usage", about);
  context.output.result({ team: team.name, ...usage }, textOf(team.name, usage));
};

function textOf(team: string, usage: AgentUsage): string {
  if (usage.totals.sessions === 0) {
    return `Nobody has shared a transcript since ${usage.since}. To share yours: devflow config set sync_transcripts true, then devflow sync push-transcript`;
  }
  const rows = [...usage.people, { ...usage.totals, name: "Team" }].map((one) => [
    shortLine(one.name, 30),
    String(one.sessions),
    amount(one.turns.median),
    amount(one.prompt_chars.median),
    share(one.changed.hits, one.changed.of),
    share(one.interrupted.hits, one.interrupted.of),
  ]);
  const columns = ["NAME", "SESSIONS", "PROMPTS", "CHARACTERS", "CHANGED FILES", "INTERRUPTED"].map((title, at) => ({
    title,
    align: at === 0 ? ("left" as const) : ("right" as const),
  }));
  const tools = usage.tools.slice(0, 8).map(({ name, calls }) => `${shortLine(name, 40)} ${calls}`);
  const others = usage.others === 0 ? [] : ["", `${usage.others} more are counted and not named.`];
  return [
    `${shortLine(team, 80)} since ${usage.since}; prompts in a session and characters in a prompt are medians`,
    "",
    textTable(columns, rows),
    ...(tools.length > 0 ? ["", `Tools: ${tools.join(", ")}`] : []),
    ...others,
  ].join("\n");
}

const amount = (median: number | null): string => (median === null ? "—" : String(Math.round(median * 10) / 10));
