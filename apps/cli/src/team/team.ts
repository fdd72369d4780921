/**
 * The port through which every command reaches the team of the current repository.
 *
 * - `Team` what each system needs of it: a system adds a member here.
 * - `FindTeam` the port; `findTeam` answers "alone" until there is a team system.
 * - `withTeam(load)` the handler of a command that takes the port.
 */
import type { CommandContext, CommandHandler } from "@devflow/core/command";
import type { EvalTeam } from "@devflow/evals/team";

export interface Team {
  readonly evals: EvalTeam;
}

export type FindTeam = (context: CommandContext) => Promise<Team | "alone">;

export const findTeam: FindTeam = async () => "alone";

export const withTeam =
  <Handler extends CommandHandler<never>>(load: () => Promise<(find: FindTeam) => Handler>) =>
  async (): Promise<Handler> =>
    (await load())(findTeam);
