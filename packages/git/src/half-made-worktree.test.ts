import { afterAll, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { git } from "./git.ts";

const scratch = mkdtempSync(join(tmpdir(), "devflow-half-made-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const identity = { name: "Ada", email: "ada@example.com" };
let cwd: string;
let commondir: string;
beforeEach(async () => {
  cwd = mkdtempSync(join(scratch, "repository-"));
  await git(["init", "--quiet"], { cwd });
  await git(["commit", "--quiet", "--allow-empty", "-m", "first"], { cwd, identity });
  await git(["worktree", "add", "--quiet", "-b", "side", `${cwd}-side`], { cwd });
  const [name] = (await git(["rev-parse", "--git-path", "worktrees"], { cwd })).stdout.trim().split("\n");
  commondir = join(cwd, name ?? "", `${cwd.split("/").at(-1)}-side`, "commondir");
  writeFileSync(commondir, "");
});

const listed = async () => (await git(["worktree", "list", "--porcelain"], { cwd })).stdout;

test("a git that reads while another one writes waits", async () => {
  setTimeout(() => writeFileSync(commondir, "../..\n"), 300);
  expect(await listed()).toContain("refs/heads/side");
});

test("what a killed git left half-written is repaired, and the repository is usable again", async () => {
  const longAgo = Date.now() / 1000 - 60;
  utimesSync(commondir, longAgo, longAgo);
  expect(await listed()).toContain("refs/heads/side");
  expect(readFileSync(commondir, "utf8")).toBe("../..\n");
  await git(["worktree", "add", "--quiet", "-b", "other", `${cwd}-other`], { cwd });
});
