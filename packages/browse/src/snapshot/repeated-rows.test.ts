import { expect, test } from "bun:test";
import { lineOf } from "./line.ts";
import { outlineOf } from "./outline.ts";
import { readPageTree } from "./page-tree.ts";

let refs = 2;
const element = (role: string, more: object = {}) => ({ role, ref: `e${refs++}`, ...more });
const box = (...children: unknown[]) => element("generic", { children });
const words = (text: string) => element("generic", { text });
const button = (name: string) => element("button", { name });
const linesOf = (...children: unknown[]) =>
  outlineOf(readPageTree([element("generic", { children })]), {}).map((node) => lineOf(node, undefined, {}));

test("three boxes of the same shape are rows, with the controls that are in them", () => {
  const row = (name: string) => box(words(name), button("Remove"));
  expect(linesOf(row("Ann"), row("Bob"), row("Cid"))).toEqual(
    ["Ann", "Bob", "Cid"].flatMap((name) => ["listitem", `  "${name}"`, '  button "Remove"']),
  );
});

test("a row in which a menu is open is one, too", () => {
  const row = (name: string, ...more: unknown[]) => box(words(name), button("More"), ...more);
  const menu = element("menu", { children: [element("menuitem", { name: "Delete" })] });
  const lines = linesOf(row("Ann"), row("Bob"), row("Cid"), row("Dan", menu));
  expect(lines.filter((line) => line === "listitem")).toHaveLength(4);
});

test("two boxes, labelled fields, sections of many words and parts of a table are no rows", () => {
  const row = (name: string) => box(words(name), button("Remove"));
  const field = (name: string) => box(words(name), element("textbox", { name }));
  const section = (name: string) => box(words(name.repeat(130)), button("Read"));
  const cells = element("row", { children: [row("x"), row("y"), row("z")] });
  for (const parts of [
    [row("Ann"), row("Bob")],
    [field("Name"), field("Mail"), field("Town")],
    [section("a"), section("b"), section("c")],
    [cells],
  ]) {
    expect(linesOf(...parts).filter((line) => line.trim().startsWith("listitem"))).toEqual([]);
  }
});
