/** What a lane wrote outside of its set. */
import { expect, test } from "bun:test";
import { outsideWriteSet } from "./outside-write-set.ts";

const file = (path: string) => ({ path, link: undefined });

test("files in the set are fine, others are not, and a rename counts with both names", () => {
  const changes = [file("src/a.ts"), file("src/old.ts"), file("lib/new.ts")];
  expect(outsideWriteSet(changes, ["src/**"])).toEqual([{ path: "lib/new.ts", reason: "not in the write set" }]);
});

test.each([
  ["../lib", "a link to a path that is not in the write set"],
  ["../../elsewhere", "a link out of the repository"],
  ["/etc/passwd", "a link out of the repository"],
  ["..", "a link to a path that is not in the write set"],
] as const)("a link in the set to %s is outside", (link, reason) => {
  expect(outsideWriteSet([{ path: "src/link", link }], ["src/**"])).toEqual([{ path: "src/link", reason }]);
});

test("a link to something in the set is fine", () => {
  expect(outsideWriteSet([{ path: "src/link", link: "deep" }], ["src/**"])).toEqual([]);
  expect(outsideWriteSet([{ path: "src/link", link: "./a.ts" }], ["src/link", "src/a.ts"])).toEqual([]);
});
