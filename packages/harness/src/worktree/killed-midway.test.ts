/** kill -9, or being told to stop, while a worktree is being created, at several moments visible on disk; then the call is repeated. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { git, repositoryStatus } from "@devflow/git";
import { copyOf, type ScratchRepository, scratchRepository } from "../../testing/scratch-repository.ts";
import { makeWorktree, worktreeBranch, worktreePath } from "./index.ts";

const run = "0198c0de-0000-7000-8000-000000000002";
const branch = worktreeBranch(run, "main");
let original: ScratchRepository;
let scratch: ScratchRepository;
let root: string;
let script: string;

/** Enough files to keep git busy for a while. */
const files = Object.fromEntries(
  Array.from({ length: 900 }, (_, index) => [`d${index % 30}/f${index}.txt`, `${"x".repeat(index % 500)}\n`]),
);

beforeAll(async () => {
  original = await scratchRepository(files);
  // One pack instead of a thousand files, because it is copied for every test.
  execFileSync("git", ["gc", "--quiet"], { cwd: original.repository, env: original.env });
}, 120_000);
afterAll(() => original.remove());

beforeEach(async () => {
  scratch = await copyOf(original);
  root = worktreePath(scratch.workspace, run, "main");
  script = join(scratch.folder, "make.ts");
  const entry = join(import.meta.dir, "index.ts");
  writeFileSync(
    script,
    `import { makeWorktree } from ${JSON.stringify(entry)};\nawait makeWorktree(${JSON.stringify(options())});\n`,
  );
}, 120_000);
afterEach(() => scratch.remove());

const options = () => ({ repository: scratch.repository, root, branch, baseCommit: scratch.base, env: scratch.env });

/** Pids of a process and its descendants, from `ps`. */
function family(pid: number): number[] {
  const table = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" })
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const all = [pid];
  for (const one of all) all.push(...table.filter(([, parent]) => parent === one).map(([child]) => child ?? 0));
  return all;
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended meanwhile.
  }
}

async function killWhen(isMoment: () => boolean, withGit: boolean, fault?: string): Promise<void> {
  const child = spawn(process.execPath, [script], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...scratch.env, ...(fault ? { DEVFLOW_FAULT: fault } : {}) },
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  while (child.exitCode === null && child.signalCode === null && !isMoment()) await Bun.sleep(1);
  for (const pid of withGit ? family(child.pid ?? 0) : [child.pid ?? 0]) kill(pid);
  await ended;
}

async function expectWhole(): Promise<void> {
  const made = await makeWorktree(options());
  expect(made).toMatchObject({ path: root, branch, commit: scratch.base });
  const status = await repositoryStatus({ cwd: root, env: scratch.env });
  expect(status).toMatchObject({ branch, head: scratch.base, changes: [] });
  expect(readdirSync(root).filter((name) => name !== ".git")).toHaveLength(30);
  const { stdout } = await git(["worktree", "list", "--porcelain"], { cwd: scratch.repository, env: scratch.env });
  expect(stdout.match(/^worktree /gm)).toHaveLength(2);
  expect(stdout).not.toMatch(/^(locked|prunable)/m);
  expect(await makeWorktree(options())).toMatchObject({ origin: "adopted" });
}

const admin = () => join(scratch.repository, ".git", "worktrees", "main");
const moments: Readonly<Record<string, () => boolean>> = {
  "the branch is made": () => existsSync(join(scratch.repository, ".git", "refs", "heads", ...branch.split("/"))),
  "git's own folder is made": () => existsSync(admin()),
  "git knows the path": () => existsSync(join(admin(), "gitdir")),
  "the worktree points to git": () => existsSync(join(root, ".git")),
  "the index is locked": () => existsSync(join(admin(), "index.lock")),
  "the first files are there": () => existsSync(join(root, "d0")),
  "half of the files are there": () => existsSync(join(root, "d22")),
  "the index is written": () => existsSync(join(admin(), "index")),
};

describe("killed while a worktree is created", () => {
  for (const [name, isMoment] of Object.entries(moments)) {
    test(`when ${name}, git killed too: repeating it completes the worktree`, async () => {
      await killWhen(isMoment, true);
      await expectWhole();
    }, 120_000);

    test(`when ${name}, git survives: repeating it waits for git and adopts the result`, async () => {
      await killWhen(isMoment, false);
      await expectWhole();
    }, 120_000);
  }

  for (const fault of ["beforeWorktreeAdd", "afterWorktreeAdd"]) {
    test(`at the fault point ${fault}`, async () => {
      await killWhen(() => false, false, `${fault}:kill`);
      await expectWhole();
    }, 120_000);
  }
});

describe("told to stop while a worktree is created", () => {
  for (const [name, isMoment] of Object.entries(moments)) {
    test(`when ${name}: nothing is left in its place, and repeating it completes the worktree`, async () => {
      const stop = new AbortController();
      const made = makeWorktree({ ...options(), signal: stop.signal }).catch((error: unknown) => error);
      let isDone = false;
      void made.then(() => {
        isDone = true;
      });
      while (!isDone && !isMoment()) await Bun.sleep(1);
      stop.abort("woken");
      if ((await made) === "woken") expect(existsSync(root)).toBe(false);
      await expectWhole();
    }, 120_000);
  }
});
