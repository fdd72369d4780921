import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { chmodSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { git } from "@devflow/git";
import { ada, copyOf, type ScratchRepository, scratchRepository } from "../../testing/scratch-repository.ts";
import { commitAll, diffAgainst } from "./index.ts";

let scratch: ScratchRepository;
const long = Array.from({ length: 40 }, (_, index) => `line ${index}\n`).join("");

beforeEach(async () => {
  scratch = await scratchRepository({ "a.txt": "one\n", "gone.txt": "gone\n", "old.txt": long, "image.bin": "x\0y" });
});
afterEach(() => scratch.remove());

const write = (name: string, text: string) => writeFileSync(join(scratch.repository, name), text);
const diff = (more: { maxBytes?: number; withheld?: string[] } = {}) =>
  diffAgainst({ worktree: scratch.repository, baseCommit: scratch.base, env: scratch.env, ...more });

describe("the diff of a worktree", () => {
  test("an untouched worktree has none", async () => {
    expect(await diff()).toEqual({ diff: "", files: [], added: 0, removed: 0, truncated: false });
  });

  test("changed, deleted, renamed, binary and untracked files, committed or not", async () => {
    write("a.txt", "one\ntwo\n");
    const { repository, env } = scratch;
    const trailers = { run: "r", phase: "p", attempt: 1 };
    await commitAll({ worktree: repository, message: "First", trailers, identity: ada, env });
    rmSync(join(repository, "gone.txt"));
    renameSync(join(repository, "old.txt"), join(repository, "moved.txt"));
    await git(["add", "--all"], { cwd: repository, env });
    write("image.bin", "x\0z");
    write("new file.txt", "n1\nn2\n");
    write("new.bin", "\0\0");
    const answer = await diff();
    const plain = { removed: 0, isBinary: false, isShown: true };
    expect(answer.files).toEqual([
      { path: "a.txt", change: "modified", ...plain, added: 1 },
      { path: "gone.txt", change: "deleted", ...plain, added: 0, removed: 1 },
      { path: "image.bin", change: "modified", ...plain, added: 0, isBinary: true },
      { path: "moved.txt", from: "old.txt", change: "renamed", ...plain, added: 0 },
      { path: "new file.txt", change: "untracked", ...plain, added: 2 },
      { path: "new.bin", change: "untracked", ...plain, added: 0, isBinary: true },
    ]);
    expect(answer).toMatchObject({ added: 3, removed: 1, truncated: false });
    expect(answer.diff).toContain("rename from old.txt\nrename to moved.txt\n");
    expect(answer.diff).toContain("+++ b/new file.txt\n@@ -0,0 +1,2 @@\n+n1\n+n2\n");
    expect(answer.diff).toContain("Binary files /dev/null and b/new.bin differ\n");
  });

  test("applied to a fresh copy it gives the same files, including untracked ones and odd names", async () => {
    const { repository } = scratch;
    write("a.txt", "changed, no newline at its end");
    write("without newline.txt", "x");
    write("empty.txt", "");
    write('quo"te\ttab.txt', "q\n");
    write("tool.sh", "#!/bin/sh\n");
    chmodSync(join(repository, "tool.sh"), 0o755);
    symlinkSync("a.txt", join(repository, "link"));
    const { diff: text } = await diff();
    const other = await copyOf(scratch);
    const run = (...args: string[]) =>
      execFileSync("git", args, { cwd: other.repository, env: other.env, input: text });
    run("reset", "--quiet", "--hard");
    run("apply", "-");
    const compared = execFileSync("diff", ["-r", "--no-dereference", "-x", ".git", repository, other.repository]);
    expect(compared.toString()).toBe("");
    await other.remove();
  });

  test("a diff that is too long omits complete files and names them", async () => {
    write("a.txt", "x".repeat(5_000));
    write("gone.txt", "short\n");
    write("huge.txt", "y\n".repeat(5_000));
    write("small.txt", "small\n");
    const answer = await diff({ maxBytes: 1_000 });
    expect(answer.truncated).toBe(true);
    expect(answer.files.map(({ path, isShown }) => [path, isShown])).toEqual([
      ["a.txt", false],
      ["gone.txt", true],
      ["huge.txt", false],
      ["small.txt", true],
    ]);
    expect(answer.diff).toContain("+short\n");
    expect(answer.diff).toContain("+small\n");
    expect(Buffer.byteLength(answer.diff)).toBeLessThanOrEqual(1_000);
    expect(answer.added).toBe(1 + 1 + 5_000 + 1);
  });

  test("withheld files are not shown", async () => {
    write(".env", "KEY=hunter2\n");
    write("a.txt", "hunter2\n");
    expect(await diff({ withheld: [".env", "a.txt"] })).toMatchObject({ diff: "", files: [] });
  });

  test("the user's diff settings do not change its format, and the index is unchanged", async () => {
    for (const [name, value] of [
      ["diff.noprefix", "true"],
      ["color.ui", "always"],
      ["diff.mnemonicPrefix", "true"],
      ["diff.renames", "false"],
    ]) {
      await git(["config", name ?? "", value ?? ""], { cwd: scratch.repository, env: scratch.env });
    }
    write("a.txt", "two\n");
    write("new.txt", "n\n");
    expect((await diff()).diff).toStartWith("diff --git a/a.txt b/a.txt\n");
    const { stdout } = await git(["status", "--porcelain"], { cwd: scratch.repository, env: scratch.env });
    expect(stdout).toContain("?? new.txt");
  });
});
