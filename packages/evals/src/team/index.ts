/** The door to a team. */
export { type Leaderboard, type LeaderboardLine, type LeaderboardSuite, leaderboardOf } from "./leaderboard.ts";
export type { EvalTeam, TeamEvalCache, TeamEvalRun, TeamRunQuery } from "./team-evals.ts";
