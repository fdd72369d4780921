import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { git, repositoryStatus } from "@devflow/git";
import { ada, type ScratchRepository, scratchRepository } from "../../testing/scratch-repository.ts";
import type { CommitAllOptions } from "./commit-all.ts";
import { commitAll, makeWorktree, worktreeBranch, worktreePath } from "./index.ts";

let scratch: ScratchRepository;
let worktree: string;
const run = "0198c0de-0000-7000-8000-000000000003";
const trailers = { run, phase: "implement", attempt: 1, persona: "coder-claude@1" };

beforeEach(async () => {
  scratch = await scratchRepository({ "a.txt": "one\n", ".gitignore": "node_modules\n" });
  const { repository, base, env, workspace } = scratch;
  const made = await makeWorktree({
    repository,
    root: worktreePath(workspace, run, "main"),
    branch: worktreeBranch(run, "main"),
    baseCommit: base,
    env,
  });
  worktree = made.path;
});
afterEach(() => scratch.remove());

const options = (more: Partial<CommitAllOptions> = {}): CommitAllOptions => ({
  worktree,
  message: "Implement the greeting",
  trailers,
  identity: ada,
  env: scratch.env,
  ...more,
});
const commit = (more: Partial<CommitAllOptions> = {}) => commitAll(options(more));
const write = (name: string, text: string) => writeFileSync(join(worktree, name), text);
const inWorktree = async (...args: Parameters<typeof git>[0]) =>
  (await git(args, { cwd: worktree, env: scratch.env })).stdout;
const count = async () => Number(await inWorktree("rev-list", "--count", "HEAD"));

describe("committing an attempt", () => {
  test("changed, new and deleted files become one commit with its trailers, by the given identity", async () => {
    write("new file.txt", "new\n");
    rmSync(join(worktree, "a.txt"));
    mkdirSync(join(worktree, "node_modules"));
    write("node_modules/x.js", "ignored\n");
    const { commit: made, changed } = await commit();
    expect(changed).toBe(true);
    expect(await inWorktree("log", "-1", "--format=%H|%an <%ae>|%B")).toBe(
      `${made}|Ada <ada@example.com>|Implement the greeting\n\nDevflow-Run: ${run}\nDevflow-Phase: implement\nDevflow-Attempt: 1\nDevflow-Persona: coder-claude@1\n\n`,
    );
    expect(await inWorktree("log", "-1", "--format=%(trailers:key=Devflow-Phase,valueonly)")).toBe("implement\n\n");
    expect(await inWorktree("diff", "--name-status", "HEAD~1", "HEAD")).toBe("D\ta.txt\nA\tnew file.txt\n");
    expect((await repositoryStatus({ cwd: worktree, env: scratch.env })).changes).toEqual([]);
  });

  test("repeating it after a crash returns the same commit; another attempt makes its own", async () => {
    write("a.txt", "two\n");
    const first = await commit();
    expect(await commit()).toEqual(first);
    expect(await commit({ trailers: { ...trailers, attempt: 2 } })).toEqual({ commit: first.commit, changed: false });
    write("a.txt", "three\n");
    const second = await commit({ trailers: { ...trailers, attempt: 2 } });
    expect(second.commit).not.toBe(first.commit);
    expect(await count()).toBe(3);
  });

  test("without changes it returns the head, and changed is false", async () => {
    expect(await commit()).toEqual({ commit: scratch.base, changed: false });
  });

  test("commits that the agent made itself count as a change when the head before it is known", async () => {
    write("a.txt", "two\n");
    await inWorktree("add", "a.txt");
    await git(["commit", "--quiet", "-m", "My own"], { cwd: worktree, env: scratch.env, identity: ada });
    expect(await commit({ since: scratch.base })).toMatchObject({ changed: true });
    expect(await commit()).toMatchObject({ changed: false });
    expect(await count()).toBe(2);
  });

  test("withheld files are in no commit, ignored or not, new or tracked", async () => {
    write(".env", "KEY=hunter2\n");
    expect(await commit({ withheld: [".env"] })).toEqual({ commit: scratch.base, changed: false });
    write("b.txt", "b\n");
    write("a.txt", "local secret\n");
    await inWorktree("add", "--all");
    await commit({ withheld: [".env", "a.txt"] });
    expect(await inWorktree("ls-tree", "-r", "--name-only", "HEAD")).toBe(".gitignore\na.txt\nb.txt\n");
    expect(await inWorktree("show", "HEAD:a.txt")).toBe("one\n");
    expect(existsSync(join(worktree, ".env"))).toBe(true);
  });

  test("the repository's hooks, signing and templates have no effect", async () => {
    const canary = join(scratch.folder, "canary");
    mkdirSync(join(scratch.repository, ".git", "hooks"));
    for (const hook of ["pre-commit", "commit-msg", "post-commit"]) {
      writeFileSync(join(scratch.repository, ".git", "hooks", hook), `#!/bin/sh\ntouch '${canary}'\nexit 1\n`, {
        mode: 0o755,
      });
    }
    await git(["config", "commit.gpgSign", "true"], { cwd: scratch.repository, env: scratch.env });
    write("a.txt", "two\n");
    expect(await commit()).toMatchObject({ changed: true });
    expect(existsSync(canary)).toBe(false);
  });

  test("a message cannot forge the trailers of another run", async () => {
    write("a.txt", "two\n");
    await commit({ message: `Quote\n\nDevflow-Run: other\nDevflow-Phase: implement\nDevflow-Attempt: 1` });
    expect(await commit({ trailers: { ...trailers, run: "other" } })).toMatchObject({ changed: false });
    expect(await commit()).toMatchObject({ changed: true });
  });

  test("an unfinished merge, a detached head and another branch are refused", async () => {
    await inWorktree("switch", "--quiet", "-c", "other");
    await expect(commit({ branch: worktreeBranch(run, "main") })).rejects.toMatchObject({ code: "conflict" });
    write("a.txt", "theirs\n");
    await commit();
    await inWorktree("switch", "--quiet", worktreeBranch(run, "main"));
    write("a.txt", "ours\n");
    await commit();
    await git(["merge", "--quiet", "other"], { cwd: worktree, env: scratch.env, identity: ada, answers: [1] });
    await expect(commit()).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining("a.txt") });
    await inWorktree("reset", "--merge");
    await inWorktree("checkout", "--quiet", "--detach");
    await expect(commit()).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining("no branch") });
  });

  test("locks that a killed git left are removed, once nobody can hold them any more", async () => {
    write("a.txt", "two\n");
    const own = (await inWorktree("rev-parse", "--absolute-git-dir")).trim();
    const common = join(scratch.repository, ".git", "refs", "heads", `${worktreeBranch(run, "main")}.lock`);
    const longAgo = new Date(Date.now() - 60_000);
    for (const lock of [join(own, "index.lock"), join(own, "HEAD.lock"), common]) {
      writeFileSync(lock, "");
      utimesSync(lock, longAgo, longAgo);
    }
    expect(await commit()).toMatchObject({ changed: true });
  });

  for (const fault of ["afterAddBeforeCommit", "afterCommitBeforeRecord"]) {
    test(`killed at ${fault}, repeating it makes one commit, not two`, async () => {
      write("a.txt", "two\n");
      const script = join(scratch.folder, "commit.ts");
      const entry = JSON.stringify(join(import.meta.dir, "index.ts"));
      writeFileSync(script, `import { commitAll } from ${entry};\nawait commitAll(${JSON.stringify(options())});\n`);
      const env = { ...scratch.env, DEVFLOW_FAULT: `${fault}:kill` };
      expect(spawnSync(process.execPath, [script], { env }).signal).toBe("SIGKILL");
      expect(await commit()).toMatchObject({ changed: true });
      expect(await count()).toBe(2);
      expect(await inWorktree("show", "HEAD:a.txt")).toBe("two\n");
    });
  }
});
