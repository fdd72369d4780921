import { expect, test } from "bun:test";
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "@devflow/testkit";
import { programFolders } from "./program-folders.ts";

const home = realpathSync(temporaryFolder("home"));

function file(...parts: string[]): string {
  const path = join(home, ...parts);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "");
  return path;
}

const folders = (path: string, ...programs: string[]) =>
  programFolders([home], path, programs).map((folder) => folder.replace(home, "~"));

test("programs outside of hidden folders need nothing", () => {
  expect(folders("/usr/bin:/bin", "/usr/bin/git", "claude")).toEqual([]);
});

test("a folder of programs stands for its installation, unless others share it", () => {
  const path = [".nvm/versions/v24/bin", "bin", ".local/bin", "tools"].map((name) => join(home, name)).join(":");
  expect(folders(path)).toEqual(["~/.nvm/versions/v24", "~/bin", "~/.local/bin", "~/tools"]);
});

test("a link is followed, and a package stands for all that is installed beside it", () => {
  const program = join(home, "bin/claude");
  mkdirSync(dirname(program), { recursive: true });
  symlinkSync(file("apps/node_modules/@vendor/claude/cli.js"), program);
  expect(folders("", program)).toEqual(["~/bin", "~/apps/node_modules"]);
});

test("a script stands for its project", () => {
  file("src/devflow/package.json");
  file("src/devflow/packages/session/package.json");
  const script = file("src/devflow/packages/session/testing/inside.ts");
  expect(folders("", script)).toEqual(["~/src/devflow/packages/session/testing", "~/src/devflow"]);
  expect(folders("", file("scripts/alone.ts"))).toEqual(["~/scripts"]);
});

test("a program that is not there is left to its start", () => {
  expect(folders("", join(home, "gone/claude"))).toEqual(["~/gone"]);
});
