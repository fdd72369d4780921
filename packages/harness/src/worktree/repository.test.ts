import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { git } from "@devflow/git";
import { ada, type ScratchRepository, scratchRepository } from "../../testing/scratch-repository.ts";
import {
  canonicalRepository,
  changedGitState,
  commitAll,
  copyIntoWorktree,
  gitStateHash,
  listOrphans,
  makeWorktree,
  readRepositorySettings,
  worktreeBranch,
  worktreePath,
} from "./index.ts";

let scratch: ScratchRepository;
beforeEach(async () => {
  scratch = await scratchRepository({ "a.txt": "one\n", "src/b.txt": "two\n" });
});
afterEach(() => scratch.remove());

const plainly = (cwd: string, ...args: Parameters<typeof git>[0]) => git(args, { cwd, env: scratch.env });
const write = (name: string, text: string) => writeFileSync(join(scratch.repository, name), text);
const make = (run: string) =>
  makeWorktree({
    repository: scratch.repository,
    root: worktreePath(scratch.workspace, run, "main"),
    branch: worktreeBranch(run, "main"),
    baseCommit: scratch.base,
    env: scratch.env,
  });

describe("the canonical repository", () => {
  const canonical = (path: string, branch?: string) =>
    canonicalRepository(path, { env: scratch.env, ...(branch === undefined ? {} : { branch }) });

  test("has one root, from a folder inside, through a link, and from another worktree", async () => {
    const { repository, base } = scratch;
    const main = { root: repository, branch: "main", commit: base };
    expect(await canonical(join(repository, "src"))).toEqual(main);
    const link = join(scratch.folder, "link");
    symlinkSync(repository, link);
    expect(await canonical(link)).toEqual(main);
    const { path, branch } = await make("r1");
    expect(await canonical(path)).toEqual({ root: repository, branch, commit: base });
    expect(await canonical(path, "main")).toEqual(main);
  });

  test("remote branches, tags and full commit ids can be the base", async () => {
    const { repository, base } = scratch;
    await plainly(repository, "update-ref", "refs/remotes/origin/next", base);
    await plainly(repository, "tag", "v1");
    for (const branch of ["origin/next", "v1", base]) {
      expect(await canonical(repository, branch)).toEqual({ root: repository, branch, commit: base });
    }
  });

  test("an invalid repository or base is refused with the reason", async () => {
    const { folder, repository } = scratch;
    const bare = join(folder, "bare.git");
    const empty = join(folder, "empty");
    mkdirSync(bare);
    mkdirSync(empty);
    await plainly(bare, "init", "--quiet", "--bare");
    await plainly(empty, "init", "--quiet");
    const expected: [string, string | undefined, string][] = [
      [join(folder, "nowhere"), undefined, "was not found"],
      [folder, undefined, "is not a git repository"],
      [bare, undefined, "is a bare repository"],
      [join(repository, ".git"), undefined, "is a bare repository"],
      [empty, undefined, "has no commit yet"],
      [repository, "mian", "The branch mian was not found"],
      [repository, "--help", "The branch --help was not found"],
    ];
    for (const [path, branch, message] of expected) await expect(canonical(path, branch)).rejects.toThrow(message);
    await expect(canonical(repository, "mian")).rejects.toMatchObject({ hint: "Did you mean main?" });
    await plainly(repository, "checkout", "--quiet", "--detach");
    await expect(canonical(repository)).rejects.toThrow("head is detached");
  });
});

describe("the repository's settings", () => {
  const commitSettings = async (text: string) => {
    write(".devflow.json", text);
    const trailers = { run: "r", phase: "p", attempt: 1 };
    const answer = await commitAll({
      worktree: scratch.repository,
      message: "Settings",
      trailers,
      identity: ada,
      env: scratch.env,
    });
    return answer.commit;
  };
  const read = (commit: string) => readRepositorySettings({ repository: scratch.repository, commit, env: scratch.env });

  test("absent ones are empty, and unknown keys are ignored", async () => {
    expect(await read(scratch.base)).toEqual({ setup: [], test: [], copy: [], environment: [] });
    const commit = await commitSettings('{"test": [["npm", "test"]], "copy": ["./config/.env"], "settings": {}}');
    expect(await read(commit)).toEqual({ setup: [], test: [["npm", "test"]], copy: ["config/.env"], environment: [] });
  });

  test("they come from the commit, not from the folder", async () => {
    const commit = await commitSettings('{"test": [["npm", "test"]]}');
    write(".devflow.json", '{"test": [["curl", "evil.example"]]}');
    expect((await read(commit)).test).toEqual([["npm", "test"]]);
    expect((await read(scratch.base)).test).toEqual([]);
  });

  test("all errors are listed at once", async () => {
    const faulty =
      '{"setup": ["npm ci"], "test": [[], ["npm", 1]], "copy": ["../x", "/etc/passwd", ".git/config", "ok"]}';
    const message = await read(await commitSettings(faulty)).catch((error: Error) => error.message);
    for (const place of ["6 error(s)", "setup[0]", "test[0]", "test[1][1]", "copy[0]", "copy[1]", "copy[2]"]) {
      expect(message).toContain(place);
    }
    await expect(read(await commitSettings("{"))).rejects.toThrow("it is not JSON");
    await expect(read(await commitSettings("[]"))).rejects.toThrow("the whole file");
    rmSync(join(scratch.repository, ".devflow.json"));
    symlinkSync("a.txt", join(scratch.repository, ".devflow.json"));
    const trailers = { run: "r", phase: "p", attempt: 9 };
    const linked = await commitAll({
      worktree: scratch.repository,
      message: "Link",
      trailers,
      identity: ada,
      env: scratch.env,
    });
    await expect(read(linked.commit)).rejects.toThrow("link or a folder");
  });

  test("files under copy are copied, private, and nothing from outside", async () => {
    const { repository, folder } = scratch;
    const { path } = await make("r1");
    write(".env", "KEY=hunter2\n");
    chmodSync(join(repository, ".env"), 0o644);
    writeFileSync(join(folder, "outside"), "x");
    symlinkSync(join(folder, "outside"), join(repository, "out"));
    const copy = (...files: string[]) => copyIntoWorktree({ repository, worktree: path, files });
    expect(await copy(".env", "absent")).toEqual({ copied: [".env"], absent: ["absent"] });
    expect(readFileSync(join(path, ".env"), "utf8")).toBe("KEY=hunter2\n");
    expect(statSync(join(path, ".env")).mode & 0o777).toBe(0o600);
    expect(await copy(".env")).toEqual({ copied: [".env"], absent: [] });
    await expect(copy("out")).rejects.toThrow("leads out of the repository");
    await expect(copy("src")).rejects.toThrow("is not a plain file");
  });
});

describe("the hash of the shared .git", () => {
  const state = (worktree?: string) =>
    gitStateHash(scratch.repository, { env: scratch.env, ...(worktree === undefined ? {} : { worktree }) });

  test("commits, branches and other worktrees do not change it", async () => {
    const { path } = await make("r1");
    const before = await state(path);
    writeFileSync(join(path, "a.txt"), "two\n");
    const trailers = { run: "r1", phase: "p", attempt: 1 };
    await commitAll({ worktree: path, message: "x", trailers, identity: ada, env: scratch.env });
    await make("r2");
    const after = await state(path);
    expect(after).toEqual(before);
    expect(changedGitState(before, after)).toEqual([]);
  });

  test("settings, hooks, attributes and a moved .git are detected and named", async () => {
    const { path } = await make("r1");
    const inGit = (...parts: string[]) => join(scratch.repository, ".git", ...parts);
    mkdirSync(inGit("info"), { recursive: true });
    const plants: [string, () => unknown][] = [
      ["config", () => plainly(path, "config", "core.fsmonitor", "evil")],
      ["hooks", () => mkdirSync(inGit("hooks"))],
      ["hooks/pre-commit", () => writeFileSync(inGit("hooks", "pre-commit"), "evil")],
      ["hooks/pre-commit", () => chmodSync(inGit("hooks", "pre-commit"), 0o755)],
      ["hooks/pre-push", () => symlinkSync(join(path, "a.txt"), inGit("hooks", "pre-push"))],
      ["hooks/pre-push", () => writeFileSync(join(path, "a.txt"), "evil")],
      ["hooks/pre-commit", () => rmSync(inGit("hooks", "pre-commit"))],
      ["info/attributes", () => writeFileSync(inGit("info", "attributes"), "* filter=evil\n")],
      [
        "worktrees/main/config.worktree",
        () => writeFileSync(inGit("worktrees", "main", "config.worktree"), "[core]\n"),
      ],
      ["worktree .git", () => writeFileSync(join(path, ".git"), "gitdir: /elsewhere\n")],
    ];
    for (const [name, plant] of plants) {
      const before = await state(path);
      await plant();
      const after = await state(path);
      expect(after.hash).not.toBe(before.hash);
      expect(changedGitState(before, after)).toEqual([name]);
    }
  });
});

describe("orphans and sizes", () => {
  test("worktrees without a run and runs without a worktree are listed, and nothing is removed", async () => {
    const known = await make("r1");
    const forgotten = await make("r2");
    const gone = await make("r3");
    mkdirSync(join(scratch.workspace, "r1", "artifacts"));
    rmSync(gone.path, { recursive: true });
    const orphans = await listOrphans({
      workspaceRoot: scratch.workspace,
      knownRuns: [
        { runId: "r1", worktree: known.path },
        { runId: "r3", worktree: gone.path },
        { runId: "r4", worktree: undefined },
      ],
    });
    expect(orphans).toEqual({
      unknown: [
        {
          path: forgotten.path,
          runId: "r2",
          lane: "main",
          gitFolder: join(scratch.repository, ".git", "worktrees", "main1"),
        },
      ],
      gone: [{ runId: "r3", worktree: gone.path }],
    });
    expect(existsSync(forgotten.path)).toBe(true);
    rmSync(scratch.repository, { recursive: true });
    const after = await listOrphans({ workspaceRoot: scratch.workspace, knownRuns: [] });
    expect(after.unknown.map(({ runId, gitFolder }) => [runId, gitFolder])).toEqual([
      ["r1", undefined],
      ["r2", undefined],
    ]);
  });

  test("without a workspace there are no orphans, and none is created", async () => {
    const orphans = await listOrphans({ workspaceRoot: scratch.workspace, knownRuns: [] });
    expect(orphans).toEqual({ unknown: [], gone: [] });
    expect(existsSync(scratch.workspace)).toBe(false);
  });
});
