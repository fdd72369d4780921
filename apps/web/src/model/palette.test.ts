import { expect, test } from "bun:test";
import type { CommandSummary } from "@devflow/protocol";
import { commandLine, matchEntries, paletteEntries } from "./palette.ts";
import { screens, subscreens } from "./screens.ts";

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

test("every screen and command is an entry with a devflow command line", () => {
  const entries = paletteEntries(commands);
  expect(entries.length).toBe(screens.length + subscreens.length + commands.length);
  expect(entries.every((entry) => entry.commandLine.startsWith("devflow "))).toBe(true);
  expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
});

test("a screen shows its own command if the server has it, otherwise the one that opens the app", () => {
  const line = (title: string) => paletteEntries(commands).find((entry) => entry.title === title)?.commandLine;
  expect(line("Home")).toBe("devflow status");
  expect(line("Runs")).toBe("devflow open");
});

test("a copied command can be run as it is: optional parts are left out, required ones stay", () => {
  expect(commands.map(commandLine)).toEqual([
    "devflow status",
    "devflow doctor",
    "devflow restore <file>",
    "devflow config get <name>",
  ]);
});

test("search words match titles, commands and categories, best match first", () => {
  expect(titles("")).toHaveLength(screens.length + subscreens.length + commands.length);
  expect(titles("doc")).toEqual(["Check this machine"]);
  expect(titles("se")[0]).toBe("Settings");
  expect(titles("one config")).toEqual(["Show one setting"]);
  expect(titles("nothing like it")).toEqual([]);
});
