import { expect, test } from "bun:test";
import type { CommandSummary } from "@devflow/protocol";
import { commandLine, matchEntries, paletteEntries } from "./palette.ts";
import { places, screens } from "./screens.ts";

const command = (name: string, summary: string, usage: string): CommandSummary => ({
  name,
  summary,
  usage,
  category: "Care",
  effect: "read",
});
const commands = [
  command("status", "Tell whether the server runs", "devflow status"),
  command("doctor", "Check this machine", "devflow doctor [flags]"),
  command("restore", "Bring a backup back", "devflow restore <file> [flags]"),
  command("config get", "Show one setting", "devflow config get <name>"),
];
const titles = (query: string) => matchEntries(paletteEntries(commands), query).map(({ title }) => title);

test("every screen and every command is an entry, each with a command line that names devflow", () => {
  const entries = paletteEntries(commands);
  expect(entries.length).toBe(screens.length + places.length + commands.length);
  expect(entries.every((entry) => entry.commandLine.startsWith("devflow "))).toBe(true);
  expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
});

test("a screen shows its own command where the server has it, otherwise the one that opens the app", () => {
  const line = (title: string) => paletteEntries(commands).find((entry) => entry.title === title)?.commandLine;
  expect(line("Home")).toBe("devflow status");
  expect(line("Runs")).toBe("devflow open");
});

test("what is copied can be typed: optional parts are left out, needed ones stay", () => {
  expect(commands.map(commandLine)).toEqual([
    "devflow status",
    "devflow doctor",
    "devflow restore <file>",
    "devflow config get <name>",
  ]);
});

test("typed words find titles, commands and categories, the best first", () => {
  expect(titles("")).toHaveLength(screens.length + places.length + commands.length);
  expect(titles("doc")).toEqual(["Check this machine"]);
  expect(titles("se")[0]).toBe("Settings");
  expect(titles("one config")).toEqual(["Show one setting"]);
  expect(titles("nothing like it")).toEqual([]);
});
