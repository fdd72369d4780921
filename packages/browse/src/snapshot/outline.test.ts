import { expect, test } from "bun:test";
import fc from "fast-check";
import { lineOf } from "./line.ts";
import { type OutlineOptions, outlineOf } from "./outline.ts";
import { readPageTree } from "./page-tree.ts";

const page = [
  {
    role: "generic",
    ref: "e1",
    children: [
      { role: "heading", name: "Shop", level: 1, ref: "e2" },
      {
        role: "list",
        ref: "e3",
        children: [
          { role: "listitem", ref: "e4", children: [{ role: "link", name: "Home", ref: "e5", children: ["Home"] }] },
        ],
      },
      { role: "generic", ref: "e6", text: "plain words" },
      { role: "generic", ref: "e7", cursor: "pointer", text: "Looks clickable" },
      { role: "textbox", name: "Name", ref: "e8", text: "Bob", disabled: true },
      { role: "region", ref: "e9" },
      { role: "dialog", name: "Sure?", ref: "e10", children: [{ role: "button", name: "Yes", ref: "e11" }] },
    ],
  },
];

const lines = (options: OutlineOptions = {}) =>
  outlineOf(readPageTree(page), options).map((node) => lineOf(node, node.page.ref, {}));

test("meaningless containers are left out, and plain text has no ref", () => {
  expect(lines()).toEqual([
    '@e2 heading "Shop" [level 1]',
    "@e3 list",
    '  @e5 link "Home"',
    '"plain words"',
    '@e7 clickable "Looks clickable"',
    '@e8 textbox "Name" [disabled]: "Bob"',
    "@e9 region",
    '@e10 dialog "Sure?"',
    '  @e11 button "Yes"',
  ]);
});

test("interactive keeps the elements you can act on, and the dialog around them", () => {
  expect(lines({ interactive: true })).toEqual([
    '@e5 link "Home"',
    '@e7 clickable "Looks clickable"',
    '@e8 textbox "Name" [disabled]: "Bob"',
    '@e10 dialog "Sure?"',
    '  @e11 button "Yes"',
  ]);
});

test("compact drops redundant containers, depth cuts deeper lines", () => {
  expect(lines({ compact: true })).toEqual([
    '@e2 heading "Shop" [level 1]',
    '@e5 link "Home"',
    '"plain words"',
    '@e7 clickable "Looks clickable"',
    '@e8 textbox "Name" [disabled]: "Bob"',
    '@e10 dialog "Sure?"',
    '  @e11 button "Yes"',
  ]);
  expect(lines({ depth: 0 })).not.toContain("  @e4 listitem");
});

test("any name that can be seen survives as JSON and never breaks the line", () => {
  // The letters of icon fonts, and names of nothing but invisible characters, are no names.
  const isSeen = (name: string) => !/\p{Co}/u.test(name) && /[^\s\p{Cc}\p{Cf}]/u.test(name);
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 100 }).filter(isSeen), (name) => {
      const [node] = outlineOf(readPageTree([{ role: "button", name, ref: "e1" }]));
      const line = lineOf(node!, "e1", {});
      expect(line).not.toContain("\n");
      expect(JSON.parse(line.slice("@e1 button ".length))).toBe(name.toWellFormed());
    }),
  );
});

test("a subtree is a slice: parents, ends and depths agree for every page and option", () => {
  const node = fc.letrec((tie) => ({
    node: fc.record({
      role: fc.constantFrom("generic", "list", "listitem", "button", "heading", "iframe"),
      name: fc.constantFrom("", "x"),
      ref: fc.constantFrom("e1", "e2", undefined),
      children: fc.array(fc.oneof({ maxDepth: 4 }, fc.constant("words"), tie("node")), { maxLength: 8 }),
    }),
  })).node;
  const options = fc.record({ interactive: fc.boolean(), compact: fc.boolean() });
  fc.assert(
    fc.property(fc.array(node, { maxLength: 5 }), options, (json, chosen) => {
      const outline = outlineOf(readPageTree(json), chosen);
      for (const [at, { index, parent, end, depth }] of outline.entries()) {
        expect(index).toBe(at);
        expect(end).toBeGreaterThan(at);
        expect(parent).toBeLessThan(at);
        const above = outline[parent];
        expect(depth).toBe(above ? above.depth + 1 : 0);
        expect(above === undefined || end <= above.end).toBe(true);
      }
    }),
  );
});
