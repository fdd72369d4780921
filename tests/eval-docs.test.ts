import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { devflowCommand, runProcess, temporaryHome } from "@devflow/testkit";

test("the sh blocks of docs/evals.md run in order and print what the page says", async () => {
  const page = readFileSync(join(import.meta.dir, "../docs/evals.md"), "utf8");
  const boxes = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text]) => text ?? "");
  expect(boxes.length).toBeGreaterThan(6);
  const home = temporaryHome();
  const bin = join(home.path, "bin");
  mkdirSync(bin);
  const devflow = devflowCommand()
    .map((word) => `"${word}"`)
    .join(" ");
  writeFileSync(join(bin, "devflow"), `#!/bin/sh\nexec ${devflow} "$@"\n`);
  chmodSync(join(bin, "devflow"), 0o755);
  const who = { GIT_AUTHOR_NAME: "Robin", GIT_AUTHOR_EMAIL: "robin@example.com" };
  const env = home.environment({ ...who, GIT_COMMITTER_NAME: "Robin", GIT_COMMITTER_EMAIL: "robin@example.com" });
  const { code, stdout, stderr } = await runProcess(["sh", "-e", "-c", boxes.join("\n")], {
    cwd: home.path,
    env: { ...env, PATH: `${bin}:${env.PATH}` },
    timeoutMs: 120_000,
  });
  expect([code, code === 0 ? "" : stderr]).toEqual([0, ""]);
  expect(stdout).toContain("support  10 passed · no earlier run to compare");
  expect(stdout).toContain("Regression in support: 7 cases broke, 0 fixed.");
  expect(stdout).toContain("exit code 1: a regression");
  expect(stdout).toContain("{+Do not see+}");
  expect(stdout).toContain("7 cases broke");
}, 150_000);
