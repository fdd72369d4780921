/**
 * Help for agents. Short, since an agent pays for every line.
 *
 * - `browseHelp(records, name)` one command, or all of them by group when there is no name.
 */
import { optionsOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { nearest } from "@devflow/core/nearest";
import { type Answer, type AnyBrowseCommand, browseGroups } from "../command.ts";
import { cliRecordOf } from "./cli-record.ts";

export function browseHelp(records: readonly AnyBrowseCommand[], name: string): Answer {
  if (name === "") return overview(records);
  const record = records.find((one) => one.name === name);
  const below = records.filter((one) => one.name.startsWith(`${name} `));
  if (record) return { text: explain(record), data: { name: record.name, summary: record.summary } };
  if (below.length > 0) return { text: below.map(explain).join("\n\n"), data: below.map((one) => one.name) };
  const meant = nearest(
    name,
    records.map((one) => one.name),
  );
  const next = meant ? `Did you mean: devflow browse help ${meant}` : "See all commands: devflow browse help";
  throw new DevflowError("unknown_command", { details: { given: `browse ${name}`, next } });
}

function overview(records: readonly AnyBrowseCommand[]): Answer {
  const lines = browseGroups.map((group) => {
    const names = records.filter((one) => one.group === group).map((one) => one.name);
    return `${group}: ${names.join(", ")}`;
  });
  const data = records.map(({ name, summary, group, effect }) => ({ name, summary, group, effect }));
  return { text: [...lines, "Details: devflow browse help <command>"].join("\n"), data };
}

function explain(record: AnyBrowseCommand): string {
  const options = optionsOf(cliRecordOf(record).args);
  const positionals = options.filter((one) => one.positional !== undefined);
  const flags = options.filter((one) => one.positional === undefined);
  const words = positionals.map((one) => (one.required ? one.placeholder : `[${one.placeholder}]`));
  const flagLine = (one: (typeof flags)[number]) =>
    `  ${one.short ? `-${one.short}, ` : ""}${one.flag}${one.kind === "flag" ? "" : ` ${one.placeholder}`}  ${one.summary}`;
  return [
    `devflow browse ${[record.name, ...words].join(" ")}`,
    record.summary,
    ...(record.description ? [record.description] : []),
    ...positionals.map((one) => `  ${one.placeholder}  ${one.summary}`),
    ...flags.map(flagLine),
    ...record.examples.map(({ run, does }) => `e.g. devflow browse ${run}  # ${does}`),
  ].join("\n");
}
