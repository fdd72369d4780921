/**
 * What the eval commands need of the team.
 *
 * - `evalTeam(findTeam, context)` the team's evals; undefined if this repository has no team.
 * - `withoutTeam` the message that users see then.
 */
import type { CommandContext } from "@devflow/core/command";
import type { EvalTeam } from "@devflow/evals/team";
import type { FindTeam } from "../team/team.ts";

export async function evalTeam(findTeam: FindTeam, context: CommandContext): Promise<EvalTeam | undefined> {
  const team = await findTeam(context);
  return team === "alone" ? undefined : team.evals;
}

export const withoutTeam =
  "No team is configured, so there are only the runs of this machine. To list them: devflow eval list";
