/**
 * The first thing a new member sees, and the record of their teams in auth.json.
 *
 * - `rememberTeams(context, server)` asks for the person's teams and stores them.
 * - `welcomeOf(address, team)` the facts and their sentence: "3 members, 47 eval runs this week, last ship 2 h ago."
 */
import type { CommandContext } from "@devflow/core/command";
import { homeAt } from "@devflow/core/home";
import type { RpcAnswer, TeamRow } from "@devflow/protocol";
import { type AnyServer, callRpc } from "../server/client.ts";
import { changeAuth } from "../team/auth-file.ts";
import { addressFor } from "../team/token-for.ts";

export async function rememberTeams(
  context: CommandContext,
  server: string,
): Promise<{ readonly address: AnyServer; readonly teams: readonly TeamRow[] }> {
  const home = homeAt(context.config().home);
  const address = await addressFor(home, context.env, server);
  const teams = await callRpc(address, "my_teams", {});
  await changeAuth(
    home,
    server,
    async (now) => now && { ...now, teams: Object.fromEntries(teams.map(({ slug, id }) => [slug, id])) },
  );
  return { address, teams };
}

export async function welcomeOf(address: AnyServer, team: TeamRow) {
  const facts = await callRpc(address, "team_welcome", { team_id: team.id });
  return { ...facts, text: welcomeText(team.name, facts, Date.now()) };
}

export function welcomeText(name: string, facts: RpcAnswer<"team_welcome">, nowMs: number): string {
  const { members, eval_runs_this_week: runs, last_ship_at: ship } = facts;
  const parts = [
    `${members} ${members === 1 ? "member" : "members"}`,
    `${runs} eval ${runs === 1 ? "run" : "runs"} this week`,
    ship === null ? "nothing shipped yet" : `last ship ${ago(nowMs - Date.parse(ship))}`,
  ];
  return `${name}: ${parts.join(", ")}.`;
}

function ago(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return `${Math.floor(minutes / (24 * 60))} d ago`;
}
