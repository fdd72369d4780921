import { expect, test } from "bun:test";
import fc from "fast-check";
import { diffTrees, isEmptyDiff } from "./diff.ts";
import { readPageTree } from "./page-tree.ts";

const tree = (...json: unknown[]) => readPageTree([{ role: "generic", ref: "e1", children: json }]);
const button = (name: string, ref: string, more: object = {}) => ({ role: "button", name, ref, ...more });

test("a page never differs from itself", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const json: unknown = JSON.parse(text);
      expect(isEmptyDiff(diffTrees(readPageTree(json), readPageTree(json)))).toBe(true);
    }),
  );
});

test("a moved element is no change; a renamed one is the same element with another name", () => {
  const before = tree(button("A", "e2"), button("B", "e3"));
  expect(isEmptyDiff(diffTrees(before, tree(button("B", "e3"), button("A", "e2"))))).toBe(true);
  const { added, removed, changed } = diffTrees(before, tree(button("A!", "e2"), button("B", "e3")));
  expect([added, removed]).toEqual([[], []]);
  expect(changed.map(({ before: was, after, what }) => [was.name, after.name, what])).toEqual([["A", "A!", ["name"]]]);
});

test("an added or removed subtree is listed once, by its root", () => {
  const dialog = { role: "dialog", ref: "e5", children: [button("Yes", "e6"), button("No", "e7")] };
  const diff = diffTrees(tree(button("A", "e2")), tree(button("A", "e2"), dialog));
  expect(diff.added.map(({ ref }) => ref)).toEqual(["e5"]);
  expect(diffTrees(tree(button("A", "e2"), dialog), tree(button("A", "e2"))).removed.map(({ ref }) => ref)).toEqual([
    "e5",
  ]);
});

test("another element with the same name in the same place counts as one removed and one added", () => {
  const { added, removed } = diffTrees(tree(button("Save", "e2")), tree(button("Save", "e9")));
  expect([removed.map(({ ref }) => ref), added.map(({ ref }) => ref)]).toEqual([["e2"], ["e9"]]);
});

test("moving the focus is no change; checking a box is", () => {
  const before = tree(button("A", "e2"), { role: "checkbox", name: "B", ref: "e3" });
  expect(
    isEmptyDiff(
      diffTrees(before, tree(button("A", "e2", { active: true }), { role: "checkbox", name: "B", ref: "e3" })),
    ),
  ).toBe(true);
  const { changed } = diffTrees(
    before,
    tree(button("A", "e2"), { role: "checkbox", name: "B", ref: "e3", checked: true }),
  );
  expect(changed.map(({ what }) => what)).toEqual([["states"]]);
});
