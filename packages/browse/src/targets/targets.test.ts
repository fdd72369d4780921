import { expect, test } from "bun:test";
import { readPageTree } from "../snapshot/page-tree.ts";
import { closestTo } from "./candidates.ts";
import { parseTarget } from "./parse-target.ts";

test.each([
  ["@e3", { kind: "ref", ref: "e3" }],
  ["e12", { kind: "ref", ref: "e12" }],
  ["@c1", { kind: "ref", ref: "c1" }],
  ["text=Sign in", { kind: "text", text: "Sign in" }],
  ['text="Sign: in"', { kind: "text", text: "Sign: in" }],
  ["button:Save", { kind: "role", role: "button", name: "Save", exact: false }],
  ['link:"Sign \\"in\\""', { kind: "role", role: "link", name: 'Sign "in"', exact: true }],
  ["option:checked out", { kind: "role", role: "option", name: "checked out", exact: false }],
  ["button:disabled", { kind: "css", css: "button:disabled" }],
  ["button:not(.x)", { kind: "css", css: "button:not(.x)" }],
  ["option:checked", { kind: "css", css: "option:checked" }],
  ["#save", { kind: "css", css: "#save" }],
  ["css=main > p", { kind: "css", css: "main > p" }],
  ["a[title='x >> y']", { kind: "css", css: "a[title='x >> y']" }],
  ["main", { kind: "css", css: "main" }],
  ["<input#mail>", { kind: "css", css: "input#mail" }],
  ["<span.trash>", { kind: "css", css: "span.trash" }],
])("the word %s", (word, target) => {
  expect<unknown>(parseTarget(word)).toEqual(target);
});

test.each(["", "   ", "@g1", "@x9", "div >> button"])("%p is refused", (word) => {
  expect(() => parseTarget(word)).toThrow("is not a target");
});

test("the closest elements are those of the same role and name, then similar names, at most three", () => {
  const names = ["Save document", "Save", "Cancel", "Save drafts", "Save draft now", "Help"];
  const tree = readPageTree([
    ...names.map((name, n) => ({ role: "button", name, ref: `e${n}` })),
    { role: "link", name: "Save draft", ref: "e9" },
  ]);
  expect(closestTo({ role: "button", name: "Save draft" }, tree).map(({ name }) => name)).toEqual([
    "Save draft",
    "Save drafts",
    "Save draft now",
  ]);
  expect(closestTo({ role: "button", name: "Wholly other" }, tree)).toEqual([]);
});
