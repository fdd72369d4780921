import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  devflowCommand,
  outputOf,
  runCli,
  runProcess,
  type TemporaryHome,
  temporaryFolder,
  temporaryHome,
} from "@devflow/testkit";

const identity = {
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "a@x",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "a@x",
};

async function sh(home: TemporaryHome, cwd: string, command: string, env: Record<string, string> = {}) {
  const result = await runProcess(["sh", "-ec", command], { cwd, env: { ...home.environment(identity), ...env } });
  if (result.code !== 0) throw new Error(`${command}: ${result.stderr}`);
  return result;
}

/** Ada's branch and Grace's change the same line. */
async function conflict() {
  const home = temporaryHome();
  const folder = temporaryFolder("team");
  await sh(
    home,
    folder,
    "git init -q --bare -b main remote.git && git clone -q remote.git ada && git clone -q remote.git grace",
  );
  const ada = join(folder, "ada");
  writeFileSync(join(ada, "a.txt"), "one\ntwo\nthree\n");
  await sh(home, ada, "git checkout -q -b main; git add -A; git commit -qm Start; git push -q -u origin main");
  await sh(
    home,
    join(folder, "grace"),
    "git fetch -q && git checkout -q -b words origin/main && sed -i s/two/TWO/ a.txt && git commit -qam Work --author='Grace <g@x>' && git push -q origin words",
  );
  await sh(home, ada, "git checkout -q -b digits && sed -i s/two/2/ a.txt && git commit -qam Mine");
  return { home, ada };
}

test("precheck shows the conflict, with --fetch also one that was pushed just now, and exits with 0", async () => {
  const { home, ada } = await conflict();
  expect(outputOf(await runCli(["brain", "precheck"], { home, cwd: ada }))).toMatchInlineSnapshot(
    `"No conflicts found."`,
  );
  const fetched = await runCli(["brain", "precheck", "--fetch"], { home, cwd: ada, env: identity });
  expect(outputOf(fetched)).toMatchInlineSnapshot(`
    "exact (likely): a.txt:2: git cannot merge it (both changed the same lines)
        Grace on origin/words
        lines 2
        - 2
        + TWO
        → See the whole conflict: git merge --no-commit origin/words, then git merge --abort"
  `);
  const { findings } = (await runCli(["brain", "precheck", "--json"], { home, cwd: ada })).json<{
    findings: object[];
  }>();
  expect(findings).toMatchObject([{ kind: "exact", sure: "likely", who: "Grace", file: "a.txt", lines: [[2, 2]] }]);
});

test("a branch that does not exist, and a folder that is no repository, are named", async () => {
  const { home, ada } = await conflict();
  expect(
    outputOf(await runCli(["brain", "precheck", "--against", "origin/nope"], { home, cwd: ada })),
  ).toMatchInlineSnapshot(`
    "--- stderr
    There is no branch or commit origin/nope here.
    List the branches: git branch --all
    --- exit code 65"
  `);
  expect(outputOf(await runCli(["brain", "precheck"], { home, cwd: home.path }))).toMatchInlineSnapshot(`
    "--- stderr
    <folder> is not in a git repository.
    Change to one, then repeat the command.
    --- exit code 65"
  `);
});

test("git's pre-push hook prints the conflicts, and the push goes on", async () => {
  const { home, ada } = await conflict();
  await sh(home, ada, "git fetch -q");
  // In a test the program that runs is bun itself; an installation would have its own.
  const call = `${devflowCommand().join(" ")} hook git pre-push </dev/null || true`;
  writeFileSync(join(ada, ".git/hooks/pre-push"), `#!/bin/sh\n${call}\n`, { mode: 0o755 });
  const { stderr } = await sh(home, ada, "git push origin digits");
  expect(stderr).toContain("exact (likely): a.txt:2");
  expect((await sh(home, ada, "git ls-remote origin digits")).stdout).toContain("refs/heads/digits");
  const off = await sh(home, ada, "git commit -q --allow-empty -m x && git push origin digits", { DEVFLOW_HOOKS: "0" });
  expect(off.stderr).not.toContain("exact");
});
