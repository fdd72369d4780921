/**
 * Where commands pass by whoever records them. It stands apart from evidence itself, so that a daemon that records
 * nothing loads nothing of it.
 *
 * - `watchCommands(watcher)` from now on it is told of every command.
 * - `recorded(call, work)` runs a command under its eyes.
 */
import type { Answer, AnyBrowseCommand, Tab } from "./command.ts";

export interface WatchedCall {
  readonly record: AnyBrowseCommand;
  readonly input: Readonly<Record<string, unknown>>;
  readonly session: string;
  readonly tab?: Tab;
}

export type CommandResult = { readonly answer: Answer } | { readonly error: unknown };

export interface CommandWatcher {
  /** Before it runs. Undefined when it is of no interest; else what wants to know what came of it. Neither ever throws. */
  watch(call: WatchedCall): Promise<((result: CommandResult) => Promise<void>) | undefined>;
}

let watcher: CommandWatcher | undefined;

export function watchCommands(given: CommandWatcher): void {
  watcher = given;
}

export async function recorded(call: WatchedCall, work: () => Promise<Answer>): Promise<Answer> {
  const tell = await watcher?.watch(call);
  if (!tell) return await work();
  try {
    const answer = await work();
    await tell({ answer });
    return answer;
  } catch (error) {
    await tell({ error });
    throw error;
  }
}
