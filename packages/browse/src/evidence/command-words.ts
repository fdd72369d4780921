/**
 * Turns a command and its arguments into command-line words, the opposite of parsing.
 *
 * - `wordsOf(command, input, sharedFlags)` parsing them gives the same input.
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
  // After `--` nothing is parsed as a flag.
  return [...name.split(" "), ...sharedFlags, ...flags, ...(ordered.length > 0 ? ["--", ...ordered] : [])];
}
