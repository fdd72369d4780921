/**
 * A command and its arguments as the words that mean them: the opposite of parsing.
 *
 * - `wordsOf(command, input, sharedFlags)` parsed again they give the same input.
 */
import { optionsOf } from "@devflow/core/command";
import type { AnyBrowseCommand } from "../command.ts";

export function wordsOf(
  { name, args }: Pick<AnyBrowseCommand, "name" | "args">,
  input: Readonly<Record<string, unknown>>,
  sharedFlags: readonly string[] = [],
): string[] {
  const flags: string[] = [];
  const positionals: [number, string[]][] = [];
  for (const option of optionsOf(args)) {
    const value = input[option.key];
    if (value === undefined || value === null) continue;
    const values = [value].flat().map(String);
    if (option.positional !== undefined) positionals.push([option.positional, values]);
    else if (option.kind === "flag") flags.push(value === false ? `--no-${option.flag.slice(2)}` : option.flag);
    else flags.push(...values.map((one) => `${option.flag}=${one}`));
  }
  const ordered = positionals.sort(([a], [b]) => a - b).flatMap(([, values]) => values);
  // Behind the two dashes nothing is taken for a flag, whatever it begins with.
  return [...name.split(" "), ...sharedFlags, ...flags, ...(ordered.length > 0 ? ["--", ...ordered] : [])];
}
