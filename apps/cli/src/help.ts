/** Help, derived from the command records. Written for an agent that knows nothing else. */
import { type AnyCommand, type CommandOption, commandCategories, optionsOf } from "@devflow/core/command";
import { globalFlags } from "@devflow/core/command-line";
import { version } from "@devflow/core/version";
import { z } from "zod";
import { textTable } from "./text-table.ts";

/** All commands, or those of a group such as `config`. */
export function overview(commands: readonly AnyCommand[], group: string): string {
  const shown = commands.filter((one) => !one.hidden && (group === "" || one.name.startsWith(`${group} `)));
  const width = Math.max(...shown.map((one) => one.name.length));
  const sections = commandCategories.flatMap((category) => {
    const members = shown.filter((one) => one.category === category);
    const rows = members.map((one) => `  ${one.name.padEnd(width)}  ${one.summary}`);
    return members.length > 0 ? [`${category}\n${rows.join("\n")}`] : [];
  });
  const head =
    group === ""
      ? `devflow ${version}: the operating layer for teams that build software with coding agents\n\nUsage: devflow <command> [flags]`
      : `Usage: devflow ${group} <command> [flags]`;
  const first = group === "" ? "\nFirst time? devflow up -d, then devflow open" : "";
  const tail = `${first}\nHelp for one command: devflow <command> --help   (--json prints its JSON Schema)`;
  return `${[head, ...sections].join("\n\n")}\n${tail}\n`;
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
    usage: usageLine(command),
    options: optionsOf(command.args).map(({ defaultValue, ...one }) =>
      defaultValue === undefined ? one : { ...one, default: defaultValue },
    ),
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
