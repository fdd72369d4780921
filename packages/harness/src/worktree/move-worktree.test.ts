import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryStatus } from "@devflow/git";
import { type ScratchRepository, scratchRepository } from "../../testing/scratch-repository.ts";
import { makeWorktree, moveWorktree } from "./index.ts";

let scratch: ScratchRepository;
let from: string;
let to: string;

beforeEach(async () => {
  scratch = await scratchRepository({ "a.txt": "one\n" });
  from = join(scratch.folder, "from");
  to = join(scratch.folder, "to");
});
afterEach(() => scratch.remove());

const move = () => moveWorktree({ repository: scratch.repository, from, to, env: scratch.env });

test("a worktree is moved with its uncommitted work, and git knows its new place", async () => {
  const { repository, base: baseCommit, env } = scratch;
  await makeWorktree({ repository, root: from, branch: "lane", baseCommit, env });
  writeFileSync(join(from, "a.txt"), "changed\n");
  await move();
  const { branch, changes } = await repositoryStatus({ cwd: to, env: scratch.env });
  expect([branch, changes.map(({ path }) => path)]).toEqual(["lane", ["a.txt"]]);
});

test("a folder that is no worktree, as an interrupted git leaves it, is moved as it is", async () => {
  mkdirSync(from);
  writeFileSync(join(from, "a.txt"), "one\n");
  await move();
  expect(readFileSync(join(to, "a.txt"), "utf8")).toBe("one\n");
});
