import { uuidv7 } from "@devflow/core/ids";
import { connectAsAdmin } from "@devflow/db";
import { testDatabase } from "@devflow/testkit";
import { defineBenchmark, limitGoal } from "./benchmark.ts";
import { fillTeam } from "./team/filled-team.ts";

/** As the screens ask: the period that each one shows first. */
const questions = [
  { fn: "team_overview", days: 7 },
  { fn: "eval_trend", days: 90 },
  { fn: "eval_struggles", days: 90 },
  { fn: "velocity", days: 90 },
  { fn: "costs", days: 30 },
  { fn: "qa_health", days: 90 },
  { fn: "review_signal", days: 90 },
  { fn: "agent_usage", days: 90 },
  { fn: "leaderboard", days: 7 },
  { fn: "hot_files", days: 7 },
] as const;
const nameOf = ({ fn, days }: (typeof questions)[number]): string => `${fn}, ${days} days`;
const page = "activity, one page";

export default defineBenchmark({
  name: "team-dashboard",
  what: "Questions of the team's screens to a team with 1,000,000 eval results, 10,000 eval runs, 200,000 edits and 20,000 ships in one year, under row-level security, without HTTP.",
  unit: "ms",
  rounds: 15,
  warmUp: 6,
  goals: [...questions.map(nameOf), page].map((name) => limitGoal(`${name}: at most 100 ms`, name, 100, "ms")),
  prepare: async ({ say }) => {
    const clone = await testDatabase();
    const sql = connectAsAdmin(clone.target, clone.name);
    const user = uuidv7();
    const claims = { sub: user, role: "authenticated" } as const;
    await clone.database.asEngine((tx) => tx`select app.ensure_user(${user}, 'Ada')`);
    const [team] = await clone.database.withClaims(
      claims,
      (tx) => tx<{ id: string }[]>`select id from api.create_team('Acme')`,
    );
    say("writing a million results");
    await fillTeam(sql, team?.id ?? "", user);
    const timed = (statement: string) => async () => {
      const started = Bun.nanoseconds();
      await clone.database.withClaims(claims, (tx) => tx.unsafe(statement, [team?.id ?? ""]));
      return [(Bun.nanoseconds() - started) / 1e6];
    };
    return {
      contenders: [
        ...questions.map((one) => ({
          name: nameOf(one),
          sample: timed(`select * from api.${one.fn}($1, days => ${one.days})`),
        })),
        { name: page, sample: timed("select * from api.activity($1)") },
      ],
      finish: async () => {
        await sql.end();
        await clone.close();
      },
    };
  },
});
