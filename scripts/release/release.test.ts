import { beforeAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hashBytes } from "@devflow/core/hash";
import { runProcess, temporaryFolder, temporaryHome } from "@devflow/testkit";
import { buildExecutable, freshExecutable } from "../build/executable.ts";
import { targetOfThisMachine } from "../build/targets.ts";
import { writeNpmFolder } from "./npm-folder.ts";

const root = join(import.meta.dir, "../..");
const target = targetOfThisMachine();
let shared: string;
beforeAll(async () => {
  shared = await freshExecutable(root);
}, 300_000);

test("the npm package starts the executable of this platform, with its arguments, input and exit code", async () => {
  const folder = temporaryFolder("npm");
  const executable = join(folder, "devflow");
  writeFileSync(executable, '#!/bin/sh\nread line\necho "$@ got $line"\nexit 7\n');
  chmodSync(executable, 0o755);
  const license = join(folder, "LICENSE");
  writeFileSync(license, "MIT");
  const launcher = join(root, "scripts/release/npm-launcher.mjs");
  const executables = new Map([[target.name as string, executable]]);
  writeNpmFolder(join(folder, "npm"), { version: "1.2.3", launcher, license, executables });
  const prefix = join(folder, "prefix");
  mkdirSync(prefix);
  const env = temporaryHome().environment();
  const words = ["npm", "install", "-g", "--offline", "--prefix", prefix, join(folder, "npm/devflow")];
  const installed = await runProcess(words, { env, timeoutMs: 60_000 });
  expect({ code: installed.code, stderr: installed.stderr }).toMatchObject({ code: 0 });
  const run = await runProcess([join(prefix, "bin/devflow"), "up", "-d"], { env, stdin: "hello\n" });
  expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 7, stdout: "up -d got hello\n" });
}, 90_000);

test("two builds of the same sources are identical", async () => {
  const outfile = join(temporaryFolder("again"), "devflow");
  await buildExecutable({ root, target, postgres: join(root, "node_modules", target.postgresPackage), outfile });
  expect(hashBytes(readFileSync(outfile))).toBe(hashBytes(readFileSync(shared)));
}, 180_000);
