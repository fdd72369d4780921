import { expect, test } from "bun:test";
import { isOldGit } from "./version.ts";

test("versions before 2.38 are too old", () => {
  expect(["2.37.9", "2.9"].map(isOldGit)).toEqual([true, true]);
  expect(["2.38", "2.100.1", "3.0"].map(isOldGit)).toEqual([false, false, false]);
});
