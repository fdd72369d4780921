/**
 * The palette: every screen and every command, each with its command line.
 *
 * - `paletteEntries(commands)` the whole list, screens first.
 * - `matchEntries(entries, query)` the entries that contain all words of the query, best match first.
 */
import type { CommandSummary } from "@devflow/protocol";
import { type Screen, screensOf, type subscreens, subscreensOf } from "./screens.ts";

export type PaletteEntry = {
  readonly id: string;
  readonly title: string;
  readonly detail: string;
  readonly commandLine: string;
} & (
  | { readonly is: "screen"; readonly path: Screen["path"] | (typeof subscreens)[number]["path"] }
  | { readonly is: "command" }
);

export function paletteEntries(commands: readonly CommandSummary[], isTeamServer = false): PaletteEntry[] {
  const byName = new Map(commands.map((command) => [command.name, command]));
  return [
    ...[...screensOf(isTeamServer), ...subscreensOf(isTeamServer)].map((screen): PaletteEntry => {
      const name = screen.commands.find((candidate) => byName.has(candidate));
      return {
        is: "screen",
        id: `screen-${screen.id}`,
        title: screen.title,
        detail: "Screen",
        path: screen.path,
        commandLine: `devflow ${name ?? "open"}`,
      };
    }),
    ...commands.map(
      (command): PaletteEntry => ({
        is: "command",
        id: `command-${command.name.replaceAll(" ", "-")}`,
        title: command.summary,
        detail: command.category,
        commandLine: commandLine(command),
      }),
    ),
  ];
}

/** The usage without its optional parts, such as `[flags]`. */
export function commandLine(command: Pick<CommandSummary, "usage">): string {
  return command.usage.replace(/\s*\[[^\]]*\]/g, "");
}

export function matchEntries(entries: readonly PaletteEntry[], query: string): PaletteEntry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ entry }) => entry);
}

/** 0 when a word does not match; a match at the start of the title or command name counts most. */
function scoreOf(entry: PaletteEntry, words: readonly string[]): number {
  const title = entry.title.toLowerCase();
  const line = entry.commandLine.toLowerCase().replace(/^devflow /, "");
  let score = 1;
  for (const word of words) {
    if (line.startsWith(word) || title.startsWith(word)) score += 4;
    else if (`${title} ${line}`.split(/[^a-z0-9]+/).some((part) => part.startsWith(word))) score += 2;
    else if (title.includes(word) || line.includes(word) || entry.detail.toLowerCase().includes(word)) score += 1;
    else return 0;
  }
  return score;
}
