/** Entry point of team. */
export type { RunTeam, SharedFact, TeamVerdict, VerdictOutcome } from "./run-team.ts";
export { shareRuns } from "./share-runs.ts";
