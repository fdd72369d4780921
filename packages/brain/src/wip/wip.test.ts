import { expect, test } from "bun:test";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runProcess, temporaryFolder } from "@devflow/testkit";
import { precheck } from "../precheck/index.ts";
import { dropWip, shareWip } from "./index.ts";

const env = { PATH: process.env.PATH ?? "", HOME: temporaryFolder("home") };
const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@x"];

async function git(cwd: string, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await runProcess(["git", ...identity, ...words], { cwd, env });
  if (code !== 0) throw new Error(`git ${words.join(" ")}: ${stderr}`);
  return stdout.trim();
}

async function twoClones(): Promise<{ ada: string; grace: string; remote: string }> {
  const folder = temporaryFolder("wip");
  const [remote, ada, grace] = ["remote.git", "ada", "grace"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await git(folder, "init", "-q", "--bare", "-b", "main", remote);
  await git(folder, "clone", "-q", remote, ada);
  await git(ada, "checkout", "-q", "-b", "main");
  for (const name of ["a.txt", "b.txt", "gone.txt"]) writeFileSync(join(ada, name), "one\ntwo\nthree\n");
  await git(ada, "add", "-A");
  await git(ada, "commit", "-q", "-m", "Start");
  await git(ada, "push", "-q", "-u", "origin", "main");
  await git(folder, "clone", "-q", remote, grace);
  return { ada, grace, remote };
}

const ports = {
  now: Date.now,
  symbolsOf: async () => [],
  team: async () => undefined,
  reads: async () => ({ files: new Map(), decisions: [] }),
};
const nothing = { tree: undefined };

test("uncommitted work meets a teammate's before either is pushed, and is gone when the session ends", async () => {
  const { ada, grace, remote } = await twoClones();
  const agent = { agent: "agent-a", who: "Ada", last: nothing };
  writeFileSync(join(ada, "a.txt"), "one\nADA\nthree\n");
  rmSync(join(ada, "gone.txt"));
  mkdirSync(join(ada, "private"));
  writeFileSync(join(ada, "private/notes.txt"), "untracked");
  writeFileSync(join(ada, "b.txt"), "one\ntoken = ghp_0123456789abcdefghijABCDEFGHIJ456789\n");
  await git(ada, "add", "a.txt");
  const staged = await git(ada, "status", "--porcelain");
  const shared = await shareWip({ cwd: ada, env }, agent);
  expect(shared.tree).toMatch(/^[0-9a-f]{40}$/);
  // Nothing of the person's own state moved.
  expect(await git(ada, "status", "--porcelain")).toBe(staged);
  expect(await git(remote, "for-each-ref", "--format=%(refname)")).toBe("refs/devflow/wip/agent-a\nrefs/heads/main");
  const files = await git(remote, "diff", "--name-status", "main", "refs/devflow/wip/agent-a");
  expect(files.split("\n")).toEqual(["M\ta.txt", "D\tgone.txt"]);

  writeFileSync(join(grace, "a.txt"), "one\nGRACE\nthree\n");
  await git(grace, "commit", "-qam", "Mine");
  await shareWip({ cwd: grace, env }, { agent: "agent-g", who: "Grace", last: nothing });
  const { findings } = await precheck(ports, { place: { cwd: grace, env }, agent: "agent-g" });
  expect(
    findings.map(({ kind, who, branch, file, what, hunks, next }) => ({ kind, who, branch, file, what, hunks, next })),
  ).toEqual([
    {
      kind: "exact",
      who: "Ada",
      branch: "devflow/wip/agent-a",
      file: "a.txt",
      what: "git cannot merge it with their work in progress (both changed the same lines)",
      hunks: [{ lines: [2, 2], mine: "GRACE", theirs: "ADA" }],
      next: "See the whole conflict: git merge --no-commit devflow/wip/agent-a, then git merge --abort",
    },
  ]);
  // The ref that the message names is one that git knows.
  expect(await git(grace, "rev-parse", "--verify", "-q", "devflow/wip/agent-a")).not.toBe("");

  // The same again pushes nothing; work that was taken back, or a session that ended, takes the ref along.
  expect(await shareWip({ cwd: ada, env }, { ...agent, last: shared })).toEqual(shared);
  await git(ada, "checkout", "-q", "HEAD", "--", ".");
  expect(await shareWip({ cwd: ada, env }, { ...agent, last: shared })).toEqual(nothing);
  await dropWip({ cwd: grace, env }, "agent-g");
  expect(await git(remote, "for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
  await shareWip({ cwd: grace, env }, { agent: "agent-g", who: "Grace", last: nothing });
  expect(await git(grace, "for-each-ref", "refs/devflow/wip/agent-a")).toBe("");
});

test("a repository without a remote, or without a commit, shares nothing", async () => {
  const alone = temporaryFolder("alone");
  await git(alone, "init", "-q", "-b", "main");
  expect(await shareWip({ cwd: alone, env }, { agent: "x", who: "Ada", last: nothing })).toEqual(nothing);
  const { ada, remote } = await twoClones();
  rmSync(remote, { recursive: true });
  expect(existsSync(remote)).toBe(false);
  writeFileSync(join(ada, "a.txt"), "changed\n");
  await expect(shareWip({ cwd: ada, env }, { agent: "x", who: "Ada", last: nothing })).rejects.toThrow();
});
