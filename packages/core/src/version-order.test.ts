import { expect, test } from "bun:test";
import { compareVersions, isAtLeast } from "./version-order.ts";

test("versions are ordered by their numbers, and a pre-release comes before its release", () => {
  const ordered = [
    ...["0.9.0", "0.10.0", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1"],
    ...["1.0.0", "1.0.1", "1.9.9", "1.10.0"],
  ];
  expect(ordered.toReversed().sort(compareVersions)).toEqual(ordered);
});

test("build metadata does not make a version newer", () => {
  expect(compareVersions("1.0.0+linux", "1.0.0+darwin")).toBe(0);
});

test("versions printed by other programs are read", () => {
  expect([compareVersions("2.39", "2.39.0"), compareVersions("v3.3a", "3.3")]).toEqual([0, 0]);
  expect(["2.37.9", "1.99.0", "2.9"].map((found) => isAtLeast(found, "2.38"))).toEqual([false, false, false]);
  expect(["2.38", "2.38.0", "2.100.1", "3.0"].map((found) => isAtLeast(found, "2.38"))).not.toContain(false);
});

test("a text without a version is older than every version", () => {
  expect([compareVersions("unknown", "0.0.1-beta"), compareVersions("", "nothing")]).toEqual([-1, 0]);
});
