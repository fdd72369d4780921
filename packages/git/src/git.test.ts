import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { currentBranch, git, initRepository, repositoryRoot, repositoryStatus } from "./index.ts";

const identity = { name: "Ada", email: "ada@example.com" };
let folder: string;
let repository: string;
let env: Record<string, string>;

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "devflow-git-")));
  repository = join(folder, "repository");
  env = { HOME: folder, PATH: "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin" };
  const files = { "README.md": "# Demo\n", "src/a file.ts": "export const a = 1;\n" };
  await initRepository(repository, { env, identity, files, message: "Start\n\nWith a body\n" });
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("repositories", () => {
  test("a new repository has its files in one commit on main, by the given identity", async () => {
    const { stdout } = await git(["log", "--format=%an <%ae>|%s|%b", "--name-only"], { cwd: repository, env });
    expect(stdout).toBe("Ada <ada@example.com>|Start|With a body\n\n\nREADME.md\nsrc/a file.ts\n");
    expect(await currentBranch({ cwd: repository, env })).toBe("main");
    expect(existsSync(join(repository, ".git", "hooks"))).toBe(false);
  });

  test("initializing again leaves a repository unchanged, and completes a half-made one", async () => {
    writeFileSync(join(repository, "README.md"), "# Mine now\n");
    const { stdout } = await git(["rev-parse", "HEAD"], { cwd: repository, env });
    const again = await initRepository(repository, { env, files: { "README.md": "# Demo\n" }, message: "Again" });
    expect(again).toEqual({ commit: stdout.trim() });
    expect((await repositoryStatus({ cwd: repository, env })).changes).toHaveLength(1);

    const half = join(folder, "half");
    mkdirSync(half);
    await git(["init", "--quiet"], { cwd: half, env });
    await initRepository(half, { env, files: { "a.txt": "a" }, message: "Whole" });
    const log = await git(["log", "--format=%s by %an"], { cwd: half, env });
    expect(log.stdout).toBe("Whole by Devflow\n");
  });

  test("the root is found from a folder inside, and not outside a repository", async () => {
    expect(await repositoryRoot({ cwd: join(repository, "src"), env })).toBe(repository);
    expect(await repositoryRoot({ cwd: folder, env })).toBeUndefined();
    await expect(repositoryRoot({ cwd: join(repository, ".git"), env })).rejects.toMatchObject({ code: "git_failed" });
  });

  test("a detached head has no branch", async () => {
    await git(["checkout", "--quiet", "--detach"], { cwd: repository, env });
    expect(await currentBranch({ cwd: repository, env })).toBeUndefined();
    expect((await repositoryStatus({ cwd: repository, env })).branch).toBeUndefined();
  });

  test("status distinguishes changed, renamed, deleted, untracked and conflicting paths", async () => {
    const place = { cwd: repository, env };
    writeFileSync(join(repository, "gone.txt"), "gone\n");
    writeFileSync(join(repository, "both.txt"), "base\n");
    await git(["add"], { ...place, paths: ["gone.txt", "both.txt"] });
    await git(["commit", "--quiet", "-m", "More"], { ...place, identity });
    await git(["branch"], { ...place, revisions: ["topic"] });
    writeFileSync(join(repository, "both.txt"), "main\n");
    await git(["commit", "--quiet", "-am", "Main"], { ...place, identity });
    await git(["switch", "--quiet"], { ...place, revisions: ["topic"] });
    writeFileSync(join(repository, "both.txt"), "topic\n");
    await git(["commit", "--quiet", "-am", "Topic"], { ...place, identity });
    await git(["merge", "--quiet"], { ...place, identity, revisions: ["main"], answers: [1] });
    renameSync(join(repository, "src/a file.ts"), join(repository, "src/a moved\nfile.ts"));
    rmSync(join(repository, "gone.txt"));
    await git(["add"], { ...place, paths: ["src/"] });
    writeFileSync(join(repository, "README.md"), "# Changed\n");
    writeFileSync(join(repository, "naïve 😀.txt"), "");

    const status = await repositoryStatus(place);
    expect(status).toMatchObject({ branch: "topic", upstream: undefined, ahead: 0, behind: 0 });
    expect(status.head).toMatch(/^[0-9a-f]{40}$/);
    expect([...status.changes].sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { path: "README.md", index: ".", worktree: "M", isConflict: false },
      { path: "both.txt", index: "U", worktree: "U", isConflict: true },
      { path: "gone.txt", index: ".", worktree: "D", isConflict: false },
      { path: "naïve 😀.txt", index: "?", worktree: "?", isConflict: false },
      { path: "src/a moved\nfile.ts", index: "R", worktree: ".", from: "src/a file.ts", isConflict: false },
    ]);
  });

  test("status reports the upstream and the distance to it", async () => {
    const clone = join(folder, "clone");
    const place = { cwd: clone, env };
    await git(["clone", "--quiet"], { cwd: folder, env, protocols: ["file"], paths: [repository, clone] });
    writeFileSync(join(clone, "README.md"), "# Ahead\n");
    await git(["commit", "--quiet", "-am", "Ahead"], { ...place, identity });
    expect(await repositoryStatus(place)).toMatchObject({ upstream: "origin/main", ahead: 1, behind: 0, changes: [] });
  });

  test("status of a repository without a commit", async () => {
    const empty = join(folder, "empty");
    mkdirSync(empty);
    await git(["init", "--quiet", "--initial-branch=trunk"], { cwd: empty, env });
    expect(await repositoryStatus({ cwd: empty, env })).toEqual({
      ...{ branch: "trunk", head: undefined, upstream: undefined, ahead: 0, behind: 0, changes: [] },
    });
    expect(await currentBranch({ cwd: empty, env })).toBe("trunk");
  });
});

describe("untrusted words", () => {
  test("a revision that looks like an option is refused before git sees it", async () => {
    const target = join(folder, "written");
    for (const revision of [`--output=${target}`, "-h", "--", ""]) {
      const shown = git(["log"], { cwd: repository, env, revisions: [revision] });
      await expect(shown).rejects.toMatchObject({ code: "input_invalid" });
    }
    expect(existsSync(target)).toBe(false);
  });

  test("a path that looks like an option or like pathspec magic is treated as a path", async () => {
    const names = ["--force", "-A", ":(top)README.md", ":/", "a*b"];
    for (const name of names.filter((one) => !one.includes("/"))) writeFileSync(join(repository, name), "x");
    writeFileSync(join(repository, "aXb"), "x");
    await git(["add"], { cwd: repository, env, paths: ["--force", "-A", ":(top)README.md", "a*b"] });
    const { changes } = await repositoryStatus({ cwd: repository, env });
    const added = changes.filter(({ index }) => index === "A").map(({ path }) => path);
    expect(added.sort()).toEqual(["--force", "-A", ":(top)README.md", "a*b"]);
  });

  test("a zero byte is refused", async () => {
    const shown = git(["show"], { cwd: repository, env, paths: ["a\0b"] });
    await expect(shown).rejects.toMatchObject({ code: "input_invalid" });
  });
});

describe("bounds", () => {
  test("more output than allowed fails the call", async () => {
    writeFileSync(join(repository, "big.txt"), "x".repeat(3_000_000));
    await git(["add"], { cwd: repository, env, paths: ["big.txt"] });
    const shown = git(["cat-file", "-p"], { cwd: repository, env, maxOutput: 100_000, revisions: [":big.txt"] });
    await expect(shown).rejects.toThrow("its output exceeded the limit");
  });

  test.each([
    ["ends when asked", ""],
    ["refuses to end", "trap '' TERM"],
  ])("an abort ends git together with a helper that %s, and the caller gets the reason", async (_name, trap) => {
    const pidFile = join(folder, "pid");
    const script = `#!/bin/sh\n${trap}\necho $$ > '${pidFile}'\nwhile :; do sleep 1; done\n`;
    writeFileSync(join(folder, "ssh"), script, { mode: 0o755 });
    const stop = new AbortController();
    const listed = git(["ls-remote"], {
      ...{ cwd: repository, protocols: ["ssh"] as const, signal: stop.signal, paths: ["ssh://example.invalid/x"] },
      env: { ...env, PATH: `${folder}:${env.PATH}` },
    });
    const outcome = listed.catch((error: unknown) => error);
    while (!existsSync(pidFile) || (await Bun.file(pidFile).text()).trim() === "") await Bun.sleep(10);
    const helper = Number((await Bun.file(pidFile).text()).trim());
    stop.abort(new Error("no longer wanted"));
    expect(await outcome).toEqual(new Error("no longer wanted"));
    while (isAlive(helper)) await Bun.sleep(10);
  });

  test("an abort during a write leaves no lock behind", async () => {
    const lock = join(repository, ".git", "index.lock");
    const blob = "5626abf0f72e58d7a153368ba57db4c673c0e171";
    const input = Array.from({ length: 400_000 }, (_, index) => `100644 ${blob}\tfolder/${index}.txt\n`).join("");
    const stop = new AbortController();
    const updated = git(["update-index", "--index-info"], { cwd: repository, env, input, signal: stop.signal });
    const outcome = updated.catch((error: unknown) => error);
    while (!existsSync(lock)) await Bun.sleep(1);
    stop.abort(new Error("no longer wanted"));
    expect(await outcome).toEqual(new Error("no longer wanted"));
    expect(existsSync(lock)).toBe(false);
    await git(["add"], { cwd: repository, env, paths: ["README.md"] });
  });

  test("an already aborted signal starts nothing", async () => {
    const signal = AbortSignal.abort(new Error("too late"));
    await expect(git(["version"], { cwd: repository, env, signal })).rejects.toThrow("too late");
  });

  test("input reaches git, even when git does not read all of it", async () => {
    const { stdout } = await git(["hash-object", "--stdin"], { cwd: repository, env, input: "one\n" });
    expect(stdout).toBe("5626abf0f72e58d7a153368ba57db4c673c0e171\n");
    await git(["version"], { cwd: repository, env, input: "x".repeat(1_000_000) });
  });
});

describe("which git", () => {
  test("without git on PATH, the error names the next command", async () => {
    const nowhere = git(["version"], { cwd: folder, env: { HOME: folder, PATH: join(folder, "nothing") } });
    await expect(nowhere).rejects.toMatchObject({
      code: "git_missing",
      hint: expect.stringContaining("devflow doctor"),
    });
  });

  test("a failure contains git's own message", async () => {
    const shown = git(["show"], { cwd: repository, env, revisions: ["no-such-branch"] });
    await expect(shown).rejects.toThrow("no-such-branch");
  });
});

function isAlive(pid: number): boolean {
  try {
    return !execFileSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).startsWith("Z");
  } catch {
    return false;
  }
}
