/**
 * Lets a recorder watch every command. Separate from evidence, so that a daemon that records nothing does not load it.
 *
 * - `watchCommands(watcher)` sets the watcher, which sees every command from now on.
 * - `runWatched(call, work)` runs a command and passes its result to the watcher.
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
  /** Called before a command runs. Returns a function for its result, or undefined to ignore it. Neither ever throws. */
  watch(call: WatchedCall): Promise<((result: CommandResult) => Promise<void>) | undefined>;
}

let watcher: CommandWatcher | undefined;

export function watchCommands(given: CommandWatcher): void {
  watcher = given;
}

export async function runWatched(call: WatchedCall, work: () => Promise<Answer>): Promise<Answer> {
  const report = await watcher?.watch(call);
  if (!report) return await work();
  try {
    const answer = await work();
    await report({ answer });
    return answer;
  } catch (error) {
    await report({ error });
    throw error;
  }
}
