/**
 * Help, derived from the command records. Written for an agent that knows nothing else and pays for every line.
 *
 * - `overviewOf(commands)` the commands to start with and the names of all others; `overviewText(…)` on one screen.
 * - `listing(commands, group)` every command with its summary, or those of a group.
 * - `commandHelp(command)`, `usageLine(command)` one command; `commandSchema(command)` the same for programs.
 */
import { type AnyCommand, type CommandOption, commandCategories, optionsOf } from "@devflow/core/command";
import { globalFlags } from "@devflow/core/command-line";
import { version } from "@devflow/core/version";
import { z } from "zod";
import { textTable } from "./text-table.ts";

/** The commands of a first hour, in the order in which one meets them. */
const firstCommands = [
  ...["up", "open", "status", "doctor", "skills install"],
  ...["run start", "run show", "run watch", "run approve"],
  ...["eval push", "eval compare", "browse goto", "browse snapshot"],
];

const helpForOne = "Help for one command: devflow <command> --help   (--json prints its JSON Schema)";

export interface Overview {
  readonly start: readonly Pick<AnyCommand, "name" | "summary">[];
  /** The names in each group, without the group. */
  readonly groups: Readonly<Record<string, readonly string[]>>;
  readonly others: readonly string[];
}

export function overviewOf(commands: readonly AnyCommand[]): Overview {
  const first = firstCommands.flatMap((name) => commands.filter((one) => one.name === name));
  const groupOf = ({ name }: AnyCommand) => (name.includes(" ") ? (name.split(" ")[0] ?? "") : "");
  const { "": single = [], ...groups } = Object.fromEntries(Map.groupBy(commands, groupOf));
  return {
    start: first.map(({ name, summary }) => ({ name, summary })),
    groups: Object.fromEntries(
      Object.entries(groups).map(([group, members]) => [
        group,
        members.map(({ name }) => name.slice(group.length + 1)),
      ]),
    ),
    others: single.map(({ name }) => name).filter((name) => !firstCommands.includes(name)),
  };
}

export function overviewText({ start, groups, others }: Overview): string {
  const isSmall = ([, names]: readonly [string, readonly string[]]) => names.length < 3;
  const all = Object.entries(groups);
  const groupRows = all.filter((one) => !isSmall(one)).map(([group, names]) => [group, namesLine(names)] as const);
  // A group of one or two commands is not worth a line of the screen, only its name.
  const small = all.filter(isSmall).map(([group]) => group);
  return `${[
    `devflow ${version}: the operating layer for teams that build software with coding agents\nUsage: devflow <command> [flags]`,
    `Start here\n${rows(start.map((one) => [one.name, brief(one.summary)]))}`,
    `Groups: devflow <group> lists its commands\n${rows(groupRows)}`,
    othersLine([...others.filter((name) => name !== "find"), ...small]),
    `First time? devflow up -d, then devflow open\nSearch: devflow find <words>   All commands: devflow --help --all\n${helpForOne}`,
  ].join("\n\n")}\n`;
}

/** Wrapped at 80 columns. */
function othersLine(names: readonly string[]): string {
  const lines = ["Others:"];
  for (const [index, name] of names.entries()) {
    const word = index < names.length - 1 ? `${name},` : name;
    if (`${lines.at(-1)} ${word}`.length <= 80) lines[lines.length - 1] += ` ${word}`;
    else lines.push(`  ${word}`);
  }
  return lines.join("\n");
}

/** What is left of 80 columns beside the name of a command or a group. */
const room = { summary: 60, names: 54 };

/** A summary that does not fit ends at its first clause. */
function brief(summary: string): string {
  if (summary.length <= room.summary) return summary;
  return summary.slice(0, /[:;,] | and /.exec(summary)?.index ?? room.summary);
}

function namesLine(all: readonly string[]): string {
  const names = [...new Set(all.map((name) => name.split(" ")[0] ?? ""))];
  const shown: string[] = [];
  for (const name of names) {
    if ([...shown, name].join(", ").length > room.names) break;
    shown.push(name);
  }
  const more = names.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

export const inGroup = (commands: readonly AnyCommand[], group: string): AnyCommand[] =>
  commands.filter((one) => group === "" || one.name.startsWith(`${group} `));

/** All commands with their summaries, or those of a group such as `config`. */
export function listing(commands: readonly AnyCommand[], group: string): string {
  const shown = inGroup(commands, group);
  const width = Math.max(...shown.map((one) => one.name.length));
  const sections = commandCategories.flatMap((category) => {
    const members = shown.filter((one) => one.category === category);
    const lines = members.map((one) => `  ${one.name.padEnd(width)}  ${one.summary}`);
    return members.length > 0 ? [`${category}\n${lines.join("\n")}`] : [];
  });
  const words = ["devflow", group, "<command> [flags]"].filter(Boolean).join(" ");
  return `${[`Usage: ${words}`, ...sections, helpForOne].join("\n\n")}\n`;
}

export function commandHelp(command: AnyCommand): string {
  const options = optionsOf(command.args);
  const parts = [`${command.summary}.`, `Usage: ${usageLine(command)}`];
  if (command.description) parts.splice(1, 0, command.description);
  const positionals = options.filter((one) => one.positional !== undefined);
  if (positionals.length > 0)
    parts.push(`Arguments\n${rows(positionals.map((one) => [one.placeholder, describe(one)]))}`);
  const flags = options.filter((one) => one.positional === undefined);
  if (flags.length > 0) parts.push(`Flags\n${rows(flags.map((one) => [flagForm(one), describe(one)]))}`);
  parts.push(`Always\n${rows(globalFlags.map((one) => [short(one.short) + one.flag, one.summary]))}`);
  if (command.examples.length > 0) {
    parts.push(`Examples\n${rows(command.examples.map((one) => [`devflow ${one.run}`, one.does]))}`);
  }
  return `${parts.join("\n\n")}\n`;
}

export function usageLine(command: AnyCommand): string {
  const options = optionsOf(command.args);
  const placed = options
    .filter((one) => one.positional !== undefined)
    .sort((a, b) => (a.positional ?? 0) - (b.positional ?? 0));
  const words = (some: readonly CommandOption[]) =>
    some.map((one) => (one.required ? one.placeholder : `[${one.placeholder}]`));
  const positionals = words(placed.filter((one) => !one.afterDashes));
  const behind = words(placed.filter((one) => one.afterDashes));
  const required = options.filter((one) => one.positional === undefined && one.required).map((one) => flagForm(one));
  const optional = options.some((one) => one.positional === undefined && !one.required) ? ["[flags]"] : [];
  return ["devflow", command.name, ...positionals, ...required, ...optional, ...behind].join(" ");
}

/** What `devflow <command> --help --json` prints: JSON Schemas for an agent. */
export function commandSchema(command: AnyCommand) {
  return {
    name: command.name,
    summary: command.summary,
    ...(command.description ? { description: command.description } : {}),
    category: command.category,
    effect: command.effect,
    ...(command.destroys ? { destroys: true } : {}),
    usage: usageLine(command),
    options: optionsOf(command.args).map(({ defaultValue, destroys, ...one }) => ({
      ...one,
      ...(destroys ? { destroys } : {}),
      ...(defaultValue === undefined ? {} : { default: defaultValue }),
    })),
    input: z.toJSONSchema(command.args, { io: "input", unrepresentable: "any" }),
    ...(command.output ? { output: z.toJSONSchema(command.output, { unrepresentable: "any" }) } : {}),
    examples: command.examples,
  };
}

const short = (letter: string | undefined): string => (letter ? `-${letter}, ` : "");

function flagForm(one: CommandOption): string {
  return `${short(one.short)}${one.flag}${one.kind === "flag" ? "" : ` ${one.placeholder}`}`;
}

function describe(one: CommandOption): string {
  const shown = one.defaultValue === undefined || one.defaultValue === false ? "" : String(one.defaultValue);
  const remarks = [one.kind === "list" ? "may be repeated" : "", shown && `default ${shown}`];
  const remark = remarks.filter(Boolean).join(", ");
  return `${one.summary}${remark ? ` (${remark})` : ""}`;
}

function rows(cells: readonly (readonly [string, string])[]): string {
  return textTable(
    [{ title: "" }, { title: "" }],
    cells.map(([left, right]) => [`  ${left}`, right]),
  );
}
