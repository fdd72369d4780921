/**
 * The team that this repository belongs to: a sink for pushed runs and a cache of runs that teammates pushed.
 *
 * - `TeamFinder` finds the team; commands take one as a parameter.
 * - `noTeam` finds none; used as long as there is no team system.
 * - `withoutTeam` the message that users see then.
 */
import type { CommandContext } from "@devflow/core/command";
import type { EvalTeam } from "@devflow/evals/team";

export type TeamFinder = (context: CommandContext) => Promise<EvalTeam | undefined>;

export const noTeam: TeamFinder = async () => undefined;

export const withoutTeam =
  "No team is configured, so there are only the runs of this machine. To list them: devflow eval list";
