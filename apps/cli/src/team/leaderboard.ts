/** `devflow team leaderboard`: the team's totals, and those members by name who asked for it. */
import type { HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { shortLine } from "@devflow/core/plain-text";
import { share, usd } from "../eval/words.ts";
import { callRpc } from "../server/client.ts";
import { textTable } from "../text-table.ts";
import type { teamLeaderboardRecord } from "./commands.ts";
import { findTarget } from "./team-target.ts";

export const teamLeaderboard: HandlerOf<typeof teamLeaderboardRecord> = async (input, context) => {
  const { days, join, leave, repo, ...choice } = input;
  if (join && leave) {
    throw new DevflowError("usage", {
      details: { problem: "--join and --leave exclude each other.", next: "Give one." },
    });
  }
  const { address, team } = await findTarget(context, choice);
  if (join || leave) await callRpc(address, "set_leaderboard", { team_id: team.id, joined: join });
  const board = await callRpc(address, "leaderboard", {
    team_id: team.id,
    days,
    ...(repo === undefined ? {} : { repo }),
  });
  const rows = [...board.people, { ...board.totals, name: "Team" }].map((one) => [
    shortLine(one.name, 30),
    String(one.ships),
    String(one.eval_runs),
    share(one.pass.hits, one.pass.of),
    String(one.regressions_fixed),
    String(one.reviews),
    one.qa_score === null ? "—" : one.qa_score.toFixed(0),
    one.usd_per_ship === null ? "—" : usd(one.usd_per_ship),
  ]);
  const columns = ["NAME", "SHIPS", "EVAL RUNS", "PASSED", "REGRESSIONS FIXED", "REVIEWS", "QA", "COST PER SHIP"].map(
    (title, at) => ({ title, align: at === 0 ? ("left" as const) : ("right" as const) }),
  );
  const more = board.people.length > 0 ? " more" : "";
  const others =
    board.others === 0
      ? ""
      : ` ${board.others}${more} ${board.others === 1 ? "person is" : "people are"} counted and not named.`;
  const own = board.joined
    ? "You are named. To leave: devflow team leaderboard --leave"
    : "You are not named. To join: devflow team leaderboard --join";
  context.output.result(
    { team: team.name, ...board },
    [`${shortLine(team.name, 80)} since ${board.since}`, "", textTable(columns, rows), "", `${own}.${others}`].join(
      "\n",
    ),
  );
};
