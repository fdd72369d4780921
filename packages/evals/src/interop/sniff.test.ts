import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { headBytes } from "../results/source.ts";
import { importers } from "./importers.ts";
import { importerNamed, sniff } from "./sniff.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

test("every format has a fixture that is recognised from its first bytes, regardless of its name", async () => {
  const found = new Set<string>();
  const folder = join(import.meta.dir, "../../testing/fixtures/samples");
  for (const file of readdirSync(folder).filter((name) => !name.endsWith(".ts"))) {
    const head = (await Bun.file(join(folder, file)).bytes()).subarray(0, headBytes);
    const byName = sniff(file, head).id;
    found.add(byName);
    if (!/\.(?:csv|tsv)$/.test(file)) expect(sniff("download", head).id).toBe(byName);
  }
  found.add(sniff("cache.sqlite", bytes("SQLite format 3\0")).id);
  found.add(sniff("ours.json", bytes('{"schema_version":1,"all_results":[')).id);
  expect([...found].sort()).toEqual(importers.map(({ id }) => id).sort());
});

test("a table without a known name is recognised by its titles", () => {
  expect(sniff("export", bytes("name,status,input\na,pass,q\n")).id).toBe("csv");
});

test.each([
  ["empty.json", "", "empty.json is empty. Supported formats: promptfoo"],
  [
    "a.json",
    '{"hello":1,"world":2}',
    'a.json is JSON, but not from a supported eval tool (it starts with "hello", "world"). Supported formats',
  ],
  ["a.xml", "<html><body/></html>", "a.xml is XML, but has no <testsuite>"],
  ["a.txt", "hello world\n", "a.txt is text, but neither JSON, XML nor CSV"],
  ["a.zip", "PK\x03\x04something", "a.zip is a ZIP archive, but not an Inspect log"],
  ["a.bin", "\x00\x01\x02", "a.bin is a binary file"],
])("%s is refused with a description and the supported formats", (name, content, sentence) => {
  expect(() => sniff(name, bytes(content))).toThrow(sentence);
});

test("a gzip file is refused with the command to unpack it", () => {
  try {
    sniff("r.json.gz", Uint8Array.of(0x1f, 0x8b, 8, 0));
    expect.unreachable();
  } catch (error) {
    expect((error as { hint: string }).hint).toBe("Unpack it: gunzip r.json.gz");
  }
});

test("an unknown format gives an error with the known ones", () => {
  expect(() => importerNamed("nunit")).toThrow('Unknown format "nunit".');
  expect(importerNamed("junit").title).toBe("JUnit XML");
});
