/**
 * The team that this repository belongs to, as evals see it: a sink for what is pushed, a cache of what others pushed.
 *
 * - `TeamFinder` what fills the door; commands are made with one, so that whoever composes them decides.
 * - `noTeam` the answer as long as no team system is composed in.
 * - `withoutTeam` the sentence that a user reads then.
 */
import type { CommandContext } from "@devflow/core/command";
import type { EvalTeam } from "@devflow/evals/team";

export type TeamFinder = (context: CommandContext) => Promise<EvalTeam | undefined>;

export const noTeam: TeamFinder = async () => undefined;

export const withoutTeam =
  "No team is set up here, so there are only the runs of this machine. They are listed by: devflow eval list";
