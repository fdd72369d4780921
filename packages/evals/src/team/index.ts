/** Entry point of team. */
export { type Leaderboard, leaderboardOf } from "./leaderboard.ts";
export type { EvalTeam, TeamEvalRun } from "./team-evals.ts";
