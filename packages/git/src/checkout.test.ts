import { describe, expect, test } from "bun:test";
import { appendFileSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@devflow/testkit";
import { findCheckout, headCommit, isOutsideRepositories, remoteUrls } from "./checkout.ts";
import { git } from "./git.ts";
import { initRepository, repositoryRoot } from "./repository.ts";

async function repository() {
  const root = temporaryFolder("repo");
  const { commit } = await initRepository(root, { files: { a: "1\n" }, message: "First" });
  return { root, commit, gitFolder: join(root, ".git") };
}

test("a folder is outside of repositories only where git finds none", async () => {
  const { root, gitFolder } = await repository();
  const outside = temporaryFolder("outside");
  const tree = join(temporaryFolder("trees"), "feature");
  await git(["worktree", "add", "-q", "-b", "feature", tree], { cwd: root });
  const bare = temporaryFolder("bare");
  await git(["init", "-q", "--bare"], { cwd: bare });
  const link = join(outside, "link");
  mkdirSync(join(root, "src/deep"), { recursive: true });
  symlinkSync(join(root, "src/deep"), link);
  for (const inside of [root, join(root, "src/deep"), link, gitFolder, tree, bare, join(bare, "refs")])
    expect([inside, isOutsideRepositories(inside)]).toEqual([inside, false]);
  expect(isOutsideRepositories(join(root, "missing"))).toBe(false);
  expect(await repositoryRoot({ cwd: outside })).toBeUndefined();
  expect(isOutsideRepositories(outside)).toBe(true);
});

describe("the checkout", () => {
  test("has a branch and a base, also in a worktree, in a subfolder and with packed refs", async () => {
    const { root, commit, gitFolder } = await repository();
    await git(["config", "core.logAllRefUpdates", "true"], { cwd: root });
    await git(["update-ref", "refs/heads/old", commit], { cwd: root });
    const tree = join(temporaryFolder("trees"), "feature");
    await git(["worktree", "add", "-q", "-b", "feature/cart", tree], { cwd: root });
    mkdirSync(join(tree, "src/deep"), { recursive: true });
    const found = findCheckout(join(tree, "src/deep"));
    expect(found).toEqual({
      root: tree,
      gitFolder: join(gitFolder, "worktrees/feature"),
      commonFolder: gitFolder,
      branch: "feature/cart",
      base: "main",
    });
    expect(found && headCommit(found)).toBe(commit);
  });

  test("has the remote's default branch as base, and no branch on a detached HEAD", async () => {
    const { root, commit } = await repository();
    await git(["branch", "-m", "main", "trunk"], { cwd: root });
    const clone = join(temporaryFolder("clones"), "clone");
    await git(["clone", "-q", root, clone], { cwd: root, protocols: ["file"] });
    await git(["checkout", "-q", "--detach"], { cwd: clone });
    const found = findCheckout(clone);
    expect(found).toEqual({
      root: clone,
      gitFolder: join(clone, ".git"),
      commonFolder: join(clone, ".git"),
      base: "trunk",
    });
    expect(found && headCommit(found)).toBe(commit);
    expect(found && remoteUrls(found)).toEqual([root]);
  });

  test("has no commit before the first one", async () => {
    const root = temporaryFolder("repo");
    await git(["init", "-q"], { cwd: root });
    const found = findCheckout(root);
    expect(found && headCommit(found)).toBeUndefined();
  });

  test("is undefined outside a repository", () => {
    expect(findCheckout("/")).toBeUndefined();
  });
});

describe("the remotes", () => {
  test("are read as git reads them: origin first, quotes and comments removed", async () => {
    const { root } = await repository();
    const config = join(root, ".git/config");
    appendFileSync(config, '[remote "fork"]\n\turl = https://example.com/a.git ; mine\n');
    appendFileSync(config, '[branch "main"]\n\turl = nothing\n[remote "origin"]\n\turl = "git@example.com:b#c"\n');
    const found = findCheckout(root);
    expect(found && remoteUrls(found)).toEqual(["git@example.com:b#c", "https://example.com/a.git"]);
    const { stdout } = await git(["config", "--get-all", "remote.origin.url"], { cwd: root });
    expect(stdout).toBe("git@example.com:b#c\n");
  });

  test("take git where the configuration includes another file", async () => {
    const { root } = await repository();
    appendFileSync(join(root, ".git/config"), "[include]\n\tpath = other\n");
    const found = findCheckout(root);
    expect(found && remoteUrls(found)).toBeUndefined();
  });
});
