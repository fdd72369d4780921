import { expect, test } from "bun:test";
import fc from "fast-check";
import { sequenceDiff } from "./sequence-diff.ts";

const signs = { same: " ", removed: "-", added: "+" };
const letters = (before: string, after: string) =>
  sequenceDiff([...before], [...after])
    .map(({ kind, item }) => signs[kind] + item)
    .join("");

test("lists differ by the fewest items that were taken out or put in", () => {
  expect(letters("abcd", "abxd")).toBe(" a b-c+x d");
  expect(letters("", "ab")).toBe("+a+b");
  expect(letters("abc", "abc")).toBe(" a b c");
  expect(letters("xaby", "ab")).toBe("-x a b-y");
});

test("both lists can be put together again, whatever is in them", () => {
  const list = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 40 });
  fc.assert(
    fc.property(list, list, (before, after) => {
      const changes = sequenceDiff(before, after);
      const without = (kind: string) => changes.filter((one) => one.kind !== kind).map(({ item }) => item);
      expect([without("added"), without("removed")]).toEqual([before, after]);
    }),
  );
});

test("lists too long to compare are told as replaced between their common beginning and end", () => {
  const many = (mark: string) => Array.from({ length: 2_100 }, (_, index) => `${mark}${index}`);
  const changes = sequenceDiff(["first", ...many("a"), "last"], ["first", ...many("b"), "last"]);
  expect(changes.map(({ kind }) => kind).join(" ")).toBe(
    ["same", ...many("").map(() => "removed"), ...many("").map(() => "added"), "same"].join(" "),
  );
});
