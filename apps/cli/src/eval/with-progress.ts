/**
 * `withProgress(context, work)` draws the progress of a run on a terminal while it runs.
 *
 * `wipe` erases what was drawn; print it before the next output. Undefined: the run was stopped by a signal.
 */
import type { CommandContext } from "@devflow/core/command";
import { liveLines } from "./live-lines.ts";

/** The lines are made only where they are drawn. */
export type Draw = (lines: () => readonly string[]) => void;

export async function withProgress<T>(
  { output, signal }: Pick<CommandContext, "output" | "signal">,
  work: (draw: Draw) => Promise<T>,
): Promise<{ readonly done: T; readonly wipe: string } | undefined> {
  const live = output.isTerminal && !output.json ? liveLines(output) : undefined;
  try {
    const done = await work((lines) => live?.draw(lines()));
    return { done, wipe: live?.wipe() ?? "" };
  } catch (error) {
    if (!signal.aborted) throw error;
    return undefined;
  }
}
