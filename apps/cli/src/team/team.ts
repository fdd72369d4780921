/**
 * The port through which every command reaches the team of the current repository.
 *
 * - `Team` what each system needs of it: a system adds a member here.
 * - `FindTeam` the port; `findTeam` answers "alone" where there is no team. It never fails the command that asks.
 * - `withTeam(load)` the handler of a command that takes the port.
 */
import type { CommandContext, CommandHandler } from "@devflow/core/command";
import { toDevflowError } from "@devflow/core/errors";
import type { EvalTeam } from "@devflow/evals/team";

export interface Team {
  readonly evals: EvalTeam;
}

export type FindTeam = (context: CommandContext) => Promise<Team | "alone">;

export const findTeam: FindTeam = async (context) => {
  try {
    const { findPlace } = await import("../sync/place.ts");
    const place = await findPlace(context);
    if (!place) return "alone";
    const { teamEvals } = await import("./team-evals.ts");
    return { evals: await teamEvals(place, context) };
  } catch (error) {
    context.output.note(`The team was left out: ${toDevflowError(error).message}`);
    return "alone";
  }
};

export const withTeam =
  <Handler extends CommandHandler<never>>(load: () => Promise<(find: FindTeam) => Handler>) =>
  async (): Promise<Handler> =>
    (await load())(findTeam);
