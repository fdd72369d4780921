import { expect, test } from "bun:test";
import fc from "fast-check";
import { sequenceDiff } from "./sequence-diff.ts";

const signs = { same: " ", removed: "-", added: "+" };
const letters = (before: string, after: string) =>
  sequenceDiff([...before], [...after])
    .map(({ kind, item }) => signs[kind] + item)
    .join("");

test("the diff has the fewest removed and added items", () => {
  expect(letters("abcd", "abxd")).toBe(" a b-c+x d");
  expect(letters("", "ab")).toBe("+a+b");
  expect(letters("abc", "abc")).toBe(" a b c");
  expect(letters("xaby", "ab")).toBe("-x a b-y");
});

test("both lists can be rebuilt from the diff", () => {
  const list = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 40 });
  fc.assert(
    fc.property(list, list, (before, after) => {
      const changes = sequenceDiff(before, after);
      const without = (kind: string) => changes.filter((one) => one.kind !== kind).map(({ item }) => item);
      expect([without("added"), without("removed")]).toEqual([before, after]);
    }),
  );
});

test("lists too long to compare are reported as replaced between their common start and end", () => {
  const many = (mark: string) => Array.from({ length: 2_100 }, (_, index) => `${mark}${index}`);
  const changes = sequenceDiff(["first", ...many("a"), "last"], ["first", ...many("b"), "last"]);
  expect(changes.map(({ kind }) => kind).join(" ")).toBe(
    ["same", ...many("").map(() => "removed"), ...many("").map(() => "added"), "same"].join(" "),
  );
});
