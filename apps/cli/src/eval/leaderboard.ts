/** `devflow eval leaderboard`: the team's evals of the last week, from the team cache. */

import type { CommandContext, CommandHandler } from "@devflow/core/command";
import { shortLine } from "@devflow/core/plain-text";
import { type Leaderboard, leaderboardOf } from "@devflow/evals/team";
import { type Paint, painter } from "../paint.ts";
import type { FindTeam } from "../team/team.ts";
import { textTable } from "../text-table.ts";
import { evalTeam, withoutTeam } from "./team.ts";
import { ago, bar, percent, plural, points, share, usd } from "./words.ts";

export const leaderboardWith =
  (findTeam: FindTeam): CommandHandler =>
  async (_input, context) => {
    const team = await evalTeam(findTeam, context);
    if (!team) return context.output.result({ team: null }, withoutTeam);
    const nowMs = Date.now();
    const runs = await team.cache.runs({ since: new Date(nowMs - 14 * 86_400_000).toISOString() });
    const board = leaderboardOf(runs, nowMs);
    const { pulledAt } = team.cache;
    const pulled = pulledAt === null ? "never pulled" : `as of ${ago(pulledAt, nowMs)}`;
    context.output.result({ team: team.name, pulledAt, ...board }, boardText(team.name, pulled, board, context));
  };

function boardText(team: string, pulled: string, board: Leaderboard, context: CommandContext): string {
  const paint = painter(context);
  const { totals, suites, people } = board;
  if (totals.runs === 0) return `${shortLine(team, 120)}: no eval runs this week (${pulled}).`;
  const all = `${plural(totals.runs, "run")}, ${plural(totals.results, "result")} on ${plural(totals.commits, "commit")}, ${share(totals.passed, totals.results)} passed, ${usd(totals.usd)}`;
  const suiteRows = suites
    .slice(0, 15)
    .map((one) => [
      `  ${shortLine(one.suite, 30)}`,
      one.passRate === null ? "—" : percent(one.passRate),
      one.change === null ? "" : changeWords(one.change, paint),
      plural(one.runs, "run"),
      usd(one.usd),
    ]);
  const most = Math.max(...people.map(({ runs }) => runs));
  const personRows = people.map((one) => [
    `  ${shortLine(one.person ?? "others", 24)}`,
    bar(
      [
        { count: one.runs, colour: "cyan", mark: "█" },
        { count: most - one.runs, colour: "dim", mark: "·" },
      ],
      12,
      paint,
    ),
    plural(one.runs, "run"),
    share(one.passed, one.results),
    usd(one.usd),
  ]);
  const blank = ["", "", "", "", ""].map((title) => ({ title }));
  return [
    `${paint(shortLine(team, 120), "bold")}  ${all}  ${paint(pulled, "dim")}`,
    "",
    textTable(blank, suiteRows),
    ...(people.some(({ person }) => person !== null) ? ["", textTable(blank, personRows)] : []),
  ].join("\n");
}

const changeWords = (change: number, paint: Paint): string =>
  paint(`${points(change)} points`, change < 0 ? "red" : change > 0 ? "green" : "dim");
