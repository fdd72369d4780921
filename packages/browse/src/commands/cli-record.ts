/**
 * A browse command as a command line record: `browse click`, with the flags that all browse commands share.
 *
 * - `cliRecordOf(record)` everything except the handler, which the command line supplies.
 * - `splitInput(input, record)` the command's own arguments and the shared ones.
 */
import { type AnyCommand, option } from "@devflow/core/command";
import { z } from "zod";
import type { AnyBrowseCommand } from "../command.ts";

export interface SharedInput {
  readonly session?: string | undefined;
  readonly tab?: string | undefined;
  readonly timeout?: number | undefined;
}

const shared = {
  session: option(z.string().min(1).max(100).optional().describe("Session, with its own cookies and tabs"), {
    placeholder: "<name>",
  }),
  tab: option(z.string().min(1).max(20).optional().describe("Tab, instead of the current one"), {
    placeholder: "<t1>",
  }),
  timeout: option(z.number().int().min(100).max(600_000).optional().describe("Most milliseconds to wait"), {
    placeholder: "<ms>",
  }),
};
type SharedKey = keyof typeof shared;

export function cliRecordOf(record: AnyBrowseCommand): Omit<AnyCommand, "handler"> {
  return {
    name: `browse ${record.name}`,
    summary: record.summary,
    ...(record.description === undefined ? {} : { description: record.description }),
    category: "Browse",
    effect: record.effect,
    ...(record.destroys ? { destroys: true } : {}),
    args: record.args.extend(Object.fromEntries(sharedFor(record).map((key) => [key, shared[key]]))),
    examples: record.examples.map(({ run, does }) => ({ run: `browse ${run}`, does })),
    ...(record.output ? { output: record.output } : {}),
  };
}

export function splitInput(
  input: Readonly<Record<string, unknown>>,
  record: AnyBrowseCommand,
): { own: Record<string, unknown>; shared: SharedInput } {
  const keys: readonly string[] = sharedFor(record);
  const pick = (wanted: boolean) =>
    Object.fromEntries(Object.entries(input).filter(([key]) => keys.includes(key) === wanted));
  return { own: pick(false), shared: pick(true) };
}

/** A command that has an argument of the same name keeps its own. */
function sharedFor(record: AnyBrowseCommand): SharedKey[] {
  const names = Object.keys(shared) as SharedKey[];
  return names.filter((key) => !(key in record.args.shape) && (key !== "tab" || record.needs === "tab"));
}
