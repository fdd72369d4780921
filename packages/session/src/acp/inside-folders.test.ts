import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@devflow/testkit";
import { isInside } from "./inside-folders.ts";

const folder = temporaryFolder("worktree");
const outside = temporaryFolder("outside");
mkdirSync(join(folder, "src"));
writeFileSync(join(outside, "secret"), "");
symlinkSync(outside, join(folder, "link"));
symlinkSync(join(outside, "not-there-yet"), join(folder, "dangling"));
symlinkSync(join(folder, "loop"), join(folder, "loop"));

const cases: readonly (readonly [string, string, boolean])[] = [
  ["a file", join(folder, "src/a.ts"), true],
  ["the folder itself", folder, true],
  ["a file in folders that do not exist yet", join(folder, "new/deep/a.ts"), true],
  ["a name that begins with two dots", join(folder, "..a"), true],
  ["a file beside it", join(outside, "secret"), false],
  ["a way out by dots", `${folder}/src/../../x`, false],
  ["a folder with the same beginning", `${folder}-other/a`, false],
  ["a link that leads out", join(folder, "link/secret"), false],
  ["a new file behind a link that leads out", join(folder, "link/new"), false],
  ["a link to a file outside that does not exist yet", join(folder, "dangling"), false],
  ["a link to itself", join(folder, "loop"), false],
  ["a file below a file", join(outside, "secret/a"), false],
  ["a relative path", "src/a.ts", false],
];

for (const [what, path, expected] of cases)
  test(`${what} is ${expected ? "inside" : "outside"}`, () => {
    expect(isInside(path, [folder])).toBe(expected);
  });
