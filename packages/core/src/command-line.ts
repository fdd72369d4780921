/**
 * Parses the words of a command line into a command and its arguments, from the command records alone.
 *
 * - `parseCommandLine(words, commands)` the command, its validated arguments and the global flags; throws `usage` or
 *   `unknown_command`, with the nearest name.
 */
import type { z } from "zod";
import { type AnyCommand, type CommandOption, optionsOf } from "./command.ts";
import { DevflowError } from "./errors.ts";
import { nearest } from "./nearest.ts";

export interface GlobalFlags {
  readonly json: boolean;
  readonly help: boolean;
  readonly debug: boolean;
}

export const globalFlags = [
  { flag: "--json", short: undefined, summary: "Print the result as JSON" },
  { flag: "--help", short: "h", summary: "Show help for the command" },
  { flag: "--debug", short: undefined, summary: "Print stack traces with errors" },
] as const;

export interface ParsedCommandLine {
  readonly command: AnyCommand | undefined;
  /** Without a command: the words typed, e.g. `config`, to show a group's help. */
  readonly group: string;
  /** Without a command: list all commands, not only those to start with. */
  readonly all: boolean;
  readonly input: Record<string, unknown>;
  readonly global: GlobalFlags;
}

export function parseCommandLine(words: readonly string[], commands: readonly AnyCommand[]): ParsedCommandLine {
  // Global flags first, because they may come before the command: devflow --json status.
  const { global, others } = takeGlobalFlags(words);
  const { command, rest, group } = findCommand(others, commands);
  if (!command) {
    const unknown = rest.filter((word) => word !== "--all");
    if (unknown.length > 0 && !global.help) throw unknownCommand(group, unknown.join(" "), commands);
    return { command, group, all: rest.includes("--all"), input: {}, global };
  }
  if (global.help) return { command, group, all: false, input: {}, global };
  return { command, group, all: false, input: parseArguments(command, rest), global };
}

function findCommand(words: readonly string[], commands: readonly AnyCommand[]) {
  const leading: string[] = [];
  for (const word of words) {
    if (word.startsWith("-")) break;
    leading.push(word);
  }
  for (let length = Math.min(leading.length, 3); length > 0; length--) {
    const name = leading.slice(0, length).join(" ");
    const command = commands.find((one) => one.name === name);
    if (command) return { command, rest: words.slice(length), group: "" };
  }
  for (let length = Math.min(leading.length, 2); length > 0; length--) {
    const group = leading.slice(0, length).join(" ");
    if (commands.some((one) => one.name.startsWith(`${group} `))) {
      return { command: undefined, rest: words.slice(length), group };
    }
  }
  return { command: undefined, rest: words, group: "" };
}

function takeGlobalFlags(words: readonly string[]): { global: GlobalFlags; others: string[] } {
  const end = words.indexOf("--");
  const head = end < 0 ? words : words.slice(0, end);
  const has = (flag: string, short?: string) =>
    head.includes(flag) || (short !== undefined && head.includes(`-${short}`));
  const global = { json: has("--json"), help: has("--help", "h"), debug: has("--debug") };
  const names = new Set<string>(globalFlags.flatMap(({ flag, short }) => (short ? [flag, `-${short}`] : [flag])));
  const others = words.filter((word, index) => (end >= 0 && index >= end) || !names.has(word));
  return { global, others };
}

function parseArguments(command: AnyCommand, words: readonly string[]): Record<string, unknown> {
  const options = optionsOf(command.args);
  const behind = options.find((one) => one.afterDashes);
  const positionals = options
    .filter((one) => one.positional !== undefined && one !== behind)
    .sort((a, b) => (a.positional ?? 0) - (b.positional ?? 0));
  const given: Record<string, unknown> = {};
  let place = 0;

  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? "";
    if (word === "--") {
      const rest = words.slice(index + 1);
      if (behind) given[behind.key] = rest;
      else for (const value of rest) place = takePositional(command, positionals, place, value, given);
      break;
    }
    if (looksLikeFlag(word)) {
      const used = takeFlag(command, options, word, words[index + 1], given);
      index += used;
      continue;
    }
    place = takePositional(command, positionals, place, word, given);
  }
  return validate(command, options, given);
}

/** By convention a lone dash is a file name, and -5 is a number. */
function looksLikeFlag(word: string): boolean {
  return word.startsWith("-") && word.length > 1 && !/^-\.?\d/.test(word);
}

/** Returns how many of the following words it used. */
function takeFlag(
  command: AnyCommand,
  options: readonly CommandOption[],
  word: string,
  next: string | undefined,
  given: Record<string, unknown>,
): number {
  const equals = word.indexOf("=");
  const name = equals < 0 ? word : word.slice(0, equals);
  const attached = equals < 0 ? undefined : word.slice(equals + 1);
  const flags = options.filter((one) => one.positional === undefined);
  const negated = flags.find((one) => one.kind === "flag" && name === `--no-${one.flag.slice(2)}`);
  if (negated) {
    given[negated.key] = false;
    return 0;
  }
  const found = flags.find((one) => one.flag === name || (one.short !== undefined && name === `-${one.short}`));
  if (!found) throw unknownFlag(command, name, flags);
  if (found.kind === "flag") {
    if (attached !== undefined && attached !== "true" && attached !== "false") {
      throw usage(command, `${found.flag} takes no value.`);
    }
    given[found.key] = attached !== "false";
    return 0;
  }
  const value = attached ?? next;
  if (value === undefined || (attached === undefined && looksLikeFlag(value))) {
    throw usage(command, `${found.flag} needs a value: ${found.flag} ${found.placeholder}.`);
  }
  if (found.kind === "list") given[found.key] = [...((given[found.key] as string[] | undefined) ?? []), value];
  else if (given[found.key] !== undefined) throw usage(command, `${found.flag} was given twice.`);
  else given[found.key] = found.kind === "number" ? toNumber(command, found, value) : value;
  return attached === undefined ? 1 : 0;
}

function takePositional(
  command: AnyCommand,
  positionals: readonly CommandOption[],
  place: number,
  value: string,
  given: Record<string, unknown>,
): number {
  const option = positionals[place];
  if (!option) throw usage(command, `"${value}" is one argument too many.`);
  if (option.kind === "list") {
    given[option.key] = [...((given[option.key] as string[] | undefined) ?? []), value];
    return place;
  }
  given[option.key] = option.kind === "number" ? toNumber(command, option, value) : value;
  return place + 1;
}

function validate(command: AnyCommand, options: readonly CommandOption[], given: Record<string, unknown>) {
  const missing = options.find((one) => one.required && one.kind !== "flag" && given[one.key] === undefined);
  if (missing)
    throw usage(command, `${missing.positional === undefined ? missing.flag : missing.placeholder} is missing.`);
  const parsed = command.args.safeParse(given);
  if (parsed.success) return parsed.data as Record<string, unknown>;
  const problems = parsed.error.issues.map((issue) => describeIssue(issue, options));
  throw usage(command, problems.join(" "));
}

function describeIssue(issue: z.core.$ZodIssue, options: readonly CommandOption[]): string {
  const option = options.find((one) => one.key === issue.path[0]);
  if (!option) return `${issue.message}.`;
  if (option.choices.length > 0) return `${option.flag} takes one of: ${option.choices.join(", ")}.`;
  return `${option.flag}: ${issue.message}.`;
}

function toNumber(command: AnyCommand, option: CommandOption, value: string): number {
  const number = Number(value);
  if (value.trim() === "" || Number.isNaN(number))
    throw usage(command, `${option.flag} takes a number, not "${value}".`);
  return number;
}

function usage(command: AnyCommand, problem: string): DevflowError {
  return new DevflowError("usage", { details: { problem, next: `See: devflow ${command.name} --help` } });
}

/** A flag that destroys something must be typed deliberately, so a typo is never corrected to it. */
function unknownFlag(command: AnyCommand, given: string, flags: readonly CommandOption[]): DevflowError {
  const harmless = flags.filter((one) => !one.destroys).map((one) => one.flag);
  const meant = nearest(given, [...harmless, ...globalFlags.map((one) => one.flag)]);
  return usage(command, `devflow ${command.name} has no flag ${given}${meant ? `; did you mean ${meant}?` : "."}`);
}

/** The same for commands. */
function unknownCommand(group: string, rest: string, commands: readonly AnyCommand[]): DevflowError {
  const given = [group, rest].filter(Boolean).join(" ");
  const harmless = commands.filter((one) => !one.hidden && !one.destroys).map((one) => one.name);
  const first = given.split(" ")[0] ?? given;
  const groups = [...new Set(harmless.map((name) => name.split(" ")[0] ?? name))];
  const members = harmless.filter((name) => name.startsWith(`${group} `)).map((name) => name.slice(group.length + 1));
  // What was typed may go on with arguments.
  const member = nearest(rest, members) ?? nearest(rest.split(" ")[0] ?? rest, members);
  const near = group === "" ? (nearest(given, harmless) ?? nearest(first, groups)) : undefined;
  const meant = member ? `${group} ${member}` : near;
  const all = group === "" ? "See all commands: devflow --help --all" : `See its commands: devflow ${group} --help`;
  return new DevflowError("unknown_command", {
    details: { given, next: meant ? `Did you mean: devflow ${meant}` : all },
  });
}
