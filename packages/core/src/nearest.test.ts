import { expect, test } from "bun:test";
import { nearest } from "./nearest.ts";

const known = ["status", "start", "config list", "up", "--port"];

test.each([
  ["statsu", "status"],
  ["stauts", "status"],
  ["stat", "status"],
  ["confg list", "config list"],
  ["pu", "up"],
  ["--prot", "--port"],
  ["status", "status"],
])("%s means %s", (given, meant) => expect(nearest(given, known)).toBe(meant));

test.each(["completely-different", "xyzxyz", ""])("%j matches no known name", (given) => {
  expect(nearest(given, ["status", "config list"])).toBeUndefined();
});

test("a short name is not near to everything", () => expect(nearest("purg", ["pr"])).toBeUndefined());

test("a very long word takes no time", () => {
  expect(nearest("x".repeat(1_000_000), known)).toBeUndefined();
});
