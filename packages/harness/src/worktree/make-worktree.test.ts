import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { git, repositoryStatus } from "@devflow/git";
import { ada, type ScratchRepository, scratchRepository } from "../../testing/scratch-repository.ts";
import { makeWorktree, removeWorktree, worktreeBranch, worktreePath } from "./index.ts";

let scratch: ScratchRepository;
const run = "0198c0de-0000-7000-8000-000000000001";
const branch = worktreeBranch(run, "main");

beforeEach(async () => {
  scratch = await scratchRepository({ "a.txt": "one\n", "src/b.txt": "two\n" });
});
afterEach(() => scratch.remove());

const root = () => worktreePath(scratch.workspace, run, "main");
const make = (options: Partial<Parameters<typeof makeWorktree>[0]> = {}) =>
  makeWorktree({
    repository: scratch.repository,
    root: root(),
    branch,
    baseCommit: scratch.base,
    env: scratch.env,
    ...options,
  });
const plainly = (...args: Parameters<typeof git>[0]) => git(args, { cwd: scratch.repository, env: scratch.env });
const commit = async (cwd: string, file: string) => {
  writeFileSync(join(cwd, file), "more\n");
  await git(["add"], { cwd, env: scratch.env, paths: [file] });
  await git(["commit", "--quiet", "-m", file], { cwd, env: scratch.env, identity: ada });
  return (await git(["rev-parse", "HEAD"], { cwd, env: scratch.env })).stdout.trim();
};

describe("making a worktree", () => {
  test("it is on its own branch at the base commit, and the repository itself is unchanged", async () => {
    expect(await make()).toEqual({ path: root(), branch, commit: scratch.base, origin: "made" });
    expect(readFileSync(join(root(), "src/b.txt"), "utf8")).toBe("two\n");
    expect((await plainly("symbolic-ref", "--short", "HEAD")).stdout).toBe("main\n");
    expect((await plainly("config", "--list", "--local")).stdout).not.toContain("branch.");
  });

  test("a repeated call adopts it with its work", async () => {
    await make();
    writeFileSync(join(root(), "a.txt"), "changed\n");
    const head = await commit(root(), "new.txt");
    expect(await make()).toEqual({ path: root(), branch, commit: head, origin: "adopted" });
    expect(readFileSync(join(root(), "a.txt"), "utf8")).toBe("changed\n");
  });

  test("several concurrent calls give one worktree", async () => {
    const answers = await Promise.all([0, 10, 20, 30, 40, 50].map((ms) => Bun.sleep(ms).then(() => make())));
    expect(answers.map(({ path, commit }) => ({ path, commit }))).toEqual(
      answers.map(() => ({ path: root(), commit: scratch.base })),
    );
    expect((await plainly("worktree", "list", "--porcelain")).stdout.match(/^worktree /gm)).toHaveLength(2);
  });

  test("one whose folder was deleted is made again from its branch, and other missing worktrees are kept", async () => {
    const other = join(scratch.folder, "usb-stick");
    await plainly("worktree", "add", "--quiet", "-b", "mine", other);
    rmSync(other, { recursive: true });
    await make();
    const head = await commit(root(), "kept.txt");
    rmSync(root(), { recursive: true });
    expect(await make()).toEqual({ path: root(), branch, commit: head, origin: "repaired" });
    expect(existsSync(join(root(), "kept.txt"))).toBe(true);
    expect((await plainly("worktree", "list", "--porcelain")).stdout).toContain("usb-stick");
  });

  test("a branch without a worktree is reused when it contains the base commit", async () => {
    await make();
    const head = await commit(root(), "kept.txt");
    await removeWorktree({ repository: scratch.repository, root: root(), env: scratch.env });
    expect(await make()).toEqual({ path: root(), branch, commit: head, origin: "branch reused" });
  });

  test("a branch of another history is refused", async () => {
    const later = await commit(scratch.repository, "later.txt");
    await plainly("branch", branch, scratch.base);
    await expect(make({ baseCommit: later })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(/does not contain/),
    });
    expect(existsSync(root())).toBe(false);
  });

  test("a branch that is checked out elsewhere is refused and named", async () => {
    const other = join(scratch.folder, "other");
    await plainly("worktree", "add", "--quiet", "-b", branch, other);
    await expect(make()).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(new RegExp(`checked out in ${other}`)),
    });
  });

  test("a worktree that is on another branch is refused", async () => {
    await make();
    await git(["switch", "--quiet", "-c", "own-idea"], { cwd: root(), env: scratch.env });
    await expect(make()).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(/is on the branch own-idea/),
    });
  });

  test("a folder with other files at its path is left alone", async () => {
    mkdirSync(root(), { recursive: true });
    writeFileSync(join(root(), "thesis.txt"), "do not lose me\n");
    await expect(make()).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(/not a worktree of this repository/),
    });
    expect(readFileSync(join(root(), "thesis.txt"), "utf8")).toBe("do not lose me\n");
  });

  test("a half-made worktree with other files in it is left alone", async () => {
    await make();
    const own = (await git(["rev-parse", "--absolute-git-dir"], { cwd: root(), env: scratch.env })).stdout.trim();
    writeFileSync(join(own, "locked"), "initializing");
    writeFileSync(join(root(), "thesis.txt"), "do not lose me\n");
    await expect(make()).rejects.toMatchObject({ code: "conflict", message: expect.stringMatching(/thesis\.txt/) });
    expect(existsSync(join(root(), "thesis.txt"))).toBe(true);
    rmSync(join(root(), "thesis.txt"));
    expect(await make()).toMatchObject({ origin: "repaired", commit: scratch.base });
  });

  test("repeating it completes the worktree, however far git had come when it was killed", async () => {
    const admin = join(scratch.repository, ".git", "worktrees", "main");
    const steps: (() => void)[] = [
      () => mkdirSync(admin, { recursive: true }),
      () => writeFileSync(join(admin, "locked"), "initializing"),
      () => mkdirSync(root(), { recursive: true }),
      () => writeFileSync(join(admin, "gitdir"), ""),
      () => writeFileSync(join(admin, "gitdir"), `${join(root(), ".git")}\n`),
      () => writeFileSync(join(root(), ".git"), ""),
      () => writeFileSync(join(root(), ".git"), `gitdir: ${admin}\n`),
      () => writeFileSync(join(admin, "HEAD"), `${"0".repeat(40)}\n`),
      () => writeFileSync(join(admin, "commondir"), "../..\n"),
      () => writeFileSync(join(admin, "HEAD"), `ref: refs/heads/${branch}\n`),
      () => writeFileSync(join(admin, "index.lock"), ""),
      () => writeFileSync(join(root(), "a.txt"), "o"),
    ];
    for (let count = 1; count <= steps.length; count++) {
      for (const step of steps.slice(0, count)) step();
      expect({ count, ...(await make()) }).toMatchObject({ count, path: root(), commit: scratch.base });
      const { changes } = await repositoryStatus({ cwd: root(), env: scratch.env });
      expect(changes).toEqual([]);
      rmSync(root(), { recursive: true });
      rmSync(join(scratch.repository, ".git", "worktrees"), { recursive: true });
    }
  }, 120_000);

  test("a branch called devflow is reported as the obstacle", async () => {
    await plainly("branch", "devflow");
    await expect(make()).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(/branch devflow conflicts with the name/),
    });
  });

  test("a workspace behind a link is adopted under its real path", async () => {
    mkdirSync(scratch.workspace);
    const link = join(scratch.folder, "link");
    symlinkSync(scratch.workspace, link);
    expect(await make({ root: worktreePath(link, run, "main") })).toMatchObject({ path: root(), origin: "made" });
    expect(await make({ root: worktreePath(link, run, "main") })).toMatchObject({ path: root(), origin: "adopted" });
  });

  test("an unknown base commit and an impossible branch are refused with a message", async () => {
    await expect(make({ baseCommit: "0".repeat(40) })).rejects.toMatchObject({ code: "not_found" });
    await expect(make({ baseCommit: "--help" })).rejects.toMatchObject({ code: "input_invalid" });
    await expect(make({ branch: "a..b" })).rejects.toMatchObject({ code: "input_invalid" });
  });

  test("hooks of the repository do not run", async () => {
    const canary = join(scratch.folder, "canary");
    mkdirSync(join(scratch.repository, ".git", "hooks"));
    const hook = join(scratch.repository, ".git", "hooks", "post-checkout");
    writeFileSync(hook, `#!/bin/sh\ntouch '${canary}'\n`, { mode: 0o755 });
    await make();
    expect(existsSync(canary)).toBe(false);
  });

  test("an aborted call fails with the reason and can be repeated", async () => {
    await expect(make({ signal: AbortSignal.abort(new Error("stop")) })).rejects.toThrow("stop");
    expect(await make()).toMatchObject({ origin: "made" });
  });
});

describe("removing a worktree", () => {
  const remove = (force = false) =>
    removeWorktree({ repository: scratch.repository, root: root(), force, env: scratch.env });

  test("a clean one is removed, its branch stays, and repeating it is not an error", async () => {
    await make();
    expect(await remove()).toEqual({ removed: true });
    expect(existsSync(root())).toBe(false);
    expect((await plainly("branch", "--list", branch)).stdout).toContain(branch);
    expect(await remove()).toEqual({ removed: false });
  });

  test("one with uncommitted work is refused with the names of the files; only force removes it", async () => {
    await make();
    writeFileSync(join(root(), "new.txt"), "mine\n");
    await expect(remove()).rejects.toMatchObject({ code: "conflict", message: expect.stringMatching(/new\.txt/) });
    expect(existsSync(join(root(), "new.txt"))).toBe(true);
    expect(await remove(true)).toEqual({ removed: true });
  });
});
