/** Retros of real repositories, whose history is made here. */
import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "@devflow/testkit";
import { backlogOf, readBacklog } from "../src/retro/backlog.ts";
import { type Commit, commitOf } from "../src/retro/commit.ts";
import { retroOf } from "../src/retro/index.ts";
import { lineKindOf } from "../src/retro/line-kind.ts";
import { commitParser } from "../src/retro/read-commits.ts";
import { streakOf, workSessions } from "../src/retro/work-sessions.ts";

/** A Monday, noon. */
const now = Date.parse("2026-11-16T12:00:00Z");
const hour = 3_600_000;

function repository() {
  const root = temporaryFolder("shop");
  const git = (words: string[], env: Record<string, string> = {}) =>
    execFileSync("git", words, {
      cwd: root,
      encoding: "utf8",
      env: { PATH: process.env.PATH ?? "", HOME: root, GIT_CONFIG_NOSYSTEM: "1", ...env },
    });
  git(["init", "-q", "-b", "main"]);
  /** `at` in hours before now; `zone` of the author's clock. */
  const commit = (
    message: string,
    at: number,
    { name = "Ada", email = "ada@example.org", zone = "+0000", committedAt = at, more = [] as string[] } = {},
  ) => {
    git(["add", "-A"]);
    const time = (hours: number) => `${Math.round((now - hours * hour) / 1000)} ${zone}`;
    git(["commit", "-q", "--allow-empty", "-m", message, ...more], {
      GIT_AUTHOR_NAME: name,
      GIT_AUTHOR_EMAIL: email,
      GIT_COMMITTER_NAME: name,
      GIT_COMMITTER_EMAIL: email,
      GIT_AUTHOR_DATE: time(at),
      GIT_COMMITTER_DATE: time(committedAt),
    });
    return git(["rev-parse", "HEAD"]).trim();
  };
  const write = (path: string, lines: number, seed = "") => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), Array.from({ length: lines }, (_, n) => `${seed}line ${n}\n`).join(""));
  };
  const retro = (days: number, untilMs = now) =>
    retroOf({ root, env: { PATH: process.env.PATH, HOME: root } }, { days, untilMs, name: "shop" });
  return { root, git, commit, write, retro };
}

test("commits, lines by kind, people, sessions and AI, of a span and of the one before", async () => {
  const it = repository();
  it.write("src/app.ts", 10);
  it.commit("Start", 24 * 9, { name: "Old", email: "old@example.org" });
  it.write("src/app.ts", 20);
  it.write("src/app.test.ts", 30);
  it.commit("feat: cart\n\nCo-Authored-By: Claude <noreply@anthropic.com>", 30);
  it.write("docs/guide.md", 7);
  it.write("package-lock.json", 500);
  it.commit("docs: guide", 29.5);
  it.commit("chore: nothing", 20, { name: "Bob", email: "bob@example.org" });
  it.commit("bump", 10, { name: "dependabot[bot]", email: "49699333+dependabot[bot]@users.noreply.github.com" });
  const { numbers, authors, streak } = await it.retro(7);
  expect(numbers).toMatchObject({
    commits: 3,
    merges: 0,
    bot_commits: 1,
    people: 2,
    lines: {
      code: { added: 10, deleted: 0 },
      tests: { added: 30, deleted: 0 },
      docs: { added: 7, deleted: 0 },
      generated: { added: 500, deleted: 0 },
    },
    test_share: 0.75,
    sessions: { count: 2, active_minutes: 30, deep: 0, longest_minutes: 30 },
    types: { chore: 1, docs: 1, feat: 1 },
    assisted: { commits: 1, share: 1 / 3 },
    before: { commits: 1, people: 1 },
  });
  expect(authors.map(({ name, commits, lines }) => [name, commits, lines.added])).toEqual([
    ["Ada", 2, 47],
    ["Bob", 1, 0],
  ]);
  expect(streak).toBe(1);
});

test("a merge adds no lines of its own, and what it brings is counted once", async () => {
  const it = repository();
  it.write("a.ts", 5);
  it.commit("base", 48);
  it.git(["checkout", "-q", "-b", "side"]);
  it.write("b.ts", 8);
  it.commit("side work", 40);
  it.git(["checkout", "-q", "main"]);
  it.write("c.ts", 3);
  it.commit("main work", 39);
  const env = {
    GIT_AUTHOR_DATE: `${(now - 38 * hour) / 1000} +0000`,
    GIT_COMMITTER_DATE: `${(now - 38 * hour) / 1000} +0000`,
  };
  const who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
  it.git([...who, "merge", "-q", "--no-ff", "-m", "Merge side", "side"], env);
  const { numbers } = await it.retro(7);
  expect([numbers.commits, numbers.merges, numbers.lines.code.added]).toEqual([3, 1, 16]);
});

test("a moved file keeps its history, and moving it is no work on lines", async () => {
  const it = repository();
  it.write("old/name with\ttab.ts", 40, "x");
  it.commit("one", 50);
  it.write("old/name with\ttab.ts", 41, "x");
  it.commit("two", 49);
  mkdirSync(join(it.root, "new"));
  renameSync(join(it.root, "old/name with\ttab.ts"), join(it.root, "new/name.ts"));
  it.commit("move", 48);
  it.write("new/name.ts", 42, "x");
  it.commit("three", 47);
  const { numbers } = await it.retro(7);
  expect(numbers.lines.code).toEqual({ added: 42, deleted: 0 });
  expect(numbers.hot_spots).toEqual([{ path: "new/name.ts", commits: 4, lines: 42 }]);
});

test("days and hours are those of the author's clock, and a rebased commit stays where it was written", async () => {
  const it = repository();
  // 23:30 in Auckland is 10:30 of the same day in UTC; 08:30 in Los Angeles is 16:30.
  it.commit("late", 1.5, { zone: "+1300" });
  it.commit("early", 19.5, { zone: "-0800", name: "Bob", email: "bob@example.org" });
  it.commit("written long ago, rebased today", 24 * 30, { committedAt: 1 });
  const { numbers } = await it.retro(7);
  expect(numbers.commits).toBe(2);
  expect(numbers.by_hour.flatMap((count, at) => (count > 0 ? [at] : []))).toEqual([8, 23]);
});

test("one person with two addresses is one by the mailmap", async () => {
  const it = repository();
  it.write(".mailmap", 0);
  writeFileSync(join(it.root, ".mailmap"), "Ada Lovelace <ada@example.org> <ada@laptop>\n");
  it.commit("one", 5);
  it.commit("two", 4, { name: "ada", email: "ada@laptop" });
  const { authors } = await it.retro(7);
  expect(authors.map(({ name, commits }) => [name, commits])).toEqual([["Ada Lovelace", 2]]);
});

test("reverts, versions by tag and by file, backlog and a streak that is longer than the span", async () => {
  const it = repository();
  for (let day = 12; day >= 0; day -= 1) {
    if (day === 10) writeFileSync(join(it.root, "package.json"), JSON.stringify({ version: "1.0.0" }));
    if (day === 1) writeFileSync(join(it.root, "package.json"), JSON.stringify({ version: "1.1.0" }));
    it.commit(
      day === 2 ? 'Revert "x"\n\nThis reverts commit 0123456789abcdef0123456789abcdef01234567.' : "work",
      day * 24 + 1,
    );
  }
  writeFileSync(join(it.root, "TODO.md"), "- [ ] a\n- [x] b\n- [ ] c\n");
  const first = await it.retro(7);
  expect(first).toMatchObject({
    streak: 13,
    numbers: { commits: 7, reverts: 1, active_days: 7 },
    versions: { from: "1.0.0", to: "1.1.0" },
    backlog: { file: "TODO.md", open: 2, done: 1 },
    tweetable: "7 days of shop: 7 commits by 1 person, +1 −1 lines, 0 % tests, 13-day streak.",
  });
  const at = {
    GIT_COMMITTER_DATE: `${(now - 24 * 9 * hour) / 1000} +0000`,
    GIT_COMMITTER_NAME: "A",
    GIT_COMMITTER_EMAIL: "a@b",
  };
  it.git(["tag", "-a", "-m", "x", "v1.0.0", "HEAD~9"], at);
  it.git(["tag", "-a", "-m", "x", "v1.2.0", "HEAD"], { ...at, GIT_COMMITTER_DATE: `${(now - hour) / 1000} +0000` });
  it.git(["tag", "nightly"]);
  expect((await it.retro(7)).versions).toEqual({ from: "v1.0.0", to: "v1.2.0" });
});

test("work that is only in the remote's default branch counts too", async () => {
  const it = repository();
  it.commit("shared", 30);
  it.git(["checkout", "-q", "-b", "elsewhere"]);
  it.commit("a teammate's", 5, { name: "Bob", email: "bob@example.org" });
  it.git(["update-ref", "refs/remotes/origin/main", "elsewhere"]);
  it.git(["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]);
  it.git(["checkout", "-q", "main"]);
  it.commit("mine", 4);
  expect((await it.retro(7)).numbers).toMatchObject({ commits: 3, people: 2 });
});

test("a repository without a commit, and one without any in the span", async () => {
  const it = repository();
  expect((await it.retro(7)).numbers).toMatchObject({ commits: 0, people: 0, test_share: null });
  it.commit("old", 24 * 100);
  expect(await it.retro(7)).toMatchObject({ numbers: { commits: 0 }, streak: 0, versions: null, backlog: null });
});

describe("small decisions", () => {
  test.each([
    ["src/cart.ts", "code"],
    ["src/cart.test.ts", "tests"],
    ["pkg/cart_test.go", "tests"],
    ["tests/helpers/x.py", "tests"],
    ["app/test_cart.py", "tests"],
    ["src/latest.ts", "code"],
    ["src/contest/entry.ts", "code"],
    ["docs/api/openapi.yaml", "docs"],
    ["README", "docs"],
    ["yarn.lock", "generated"],
    ["web/dist/app.js", "generated"],
    ["src/distance.ts", "code"],
    ["api/service.pb.go", "generated"],
    ["src/schema.generated.ts", "generated"],
  ] as const)("%s is %s", (path, kind) => expect(lineKindOf(path)).toBe(kind));

  const said = (message: string, name = "Ada", email = "ada@example.org") =>
    commitOf({ sha: "a", parents: "b", date: "0 +0000", name, email, message });

  test.each([
    ["x\n\nCo-Authored-By: Claude Opus 4.6 (1M context) <noreply@anthropic.com>", true],
    ["x\n\nco-authored-by: Copilot <198982749+Copilot@users.noreply.github.com>", true],
    ["x\n\nCo-authored-by: Cursor <cursoragent@cursor.com>", true],
    ["x\n\n🤖 Generated with [Claude Code](https://claude.com/claude-code)", true],
    ["x\n\nAssisted-by: an agent", true],
    ["x\n\nCo-authored-by: Claude Monet <claude.monet@example.fr>", false],
    ["x\n\nCo-authored-by: Grace <grace@example.org>", false],
    ["Talk to Claude about Copilot", false],
  ])("whether an agent helped: %j", (message, isAssisted) => expect(said(message).isAssisted).toBe(isAssisted));

  test("what an agent committed itself is assisted, and no bot", () => {
    expect(said("x", "Claude", "noreply@anthropic.com")).toMatchObject({ isAssisted: true, isBot: false });
    expect(said("x", "renovate[bot]", "bot@renovateapp.com")).toMatchObject({ isAssisted: false, isBot: true });
  });

  test("a pause of more than 45 minutes ends a session", () => {
    const minutes = (...times: number[]) =>
      workSessions(times.map((one) => one * 60_000)).map(({ commits }) => commits);
    expect(minutes(0, 45, 90, 136)).toEqual([3, 1]);
    expect(minutes(90, 0, 45)).toEqual([3]);
    expect(minutes()).toEqual([]);
  });

  test("a streak may end yesterday, and not the day before", () => {
    const days = new Set(["2026-02-27", "2026-02-28", "2026-03-01"]);
    expect(["2026-03-01", "2026-03-02", "2026-03-03"].map((today) => streakOf(days, today))).toEqual([3, 3, 0]);
  });

  test("a backlog of boxes, of lists under headings, and one behind a link", async () => {
    expect(backlogOf("# Done\n- a\n# Next\n- b\n1. c\n")).toEqual({ open: 2, done: 1 });
    expect(backlogOf("* [ ] a\n  - [X] b\nplain\n")).toEqual({ open: 1, done: 1 });
    const root = temporaryFolder("shop");
    symlinkSync("/etc/hostname", join(root, "TODO.md"));
    expect(await readBacklog(root)).toBeUndefined();
  });

  test("a log in any portions gives the same commits, whatever paths and messages contain", () => {
    const hostile = "\u0001commit";
    const log = [
      `\0\u0001commit\0${"a".repeat(40)}\0p\x001700000000 +0000\0Ada\0ada@x\0say ${hostile}\n\n1\t2\tno.ts\n\0\0\n`,
      `1\t2\t\0${hostile}\0${"b".repeat(40)}\x003\t-\tbinary.png\0-\t-\tline\nbreak.ts\0`,
      `\0\0\u0001commit\0${"c".repeat(40)}\0p q\x001700000000 -0930\0Bob\0bob@x\0merge\0`,
    ].join("");
    const parse = (size: number) => {
      const found: Commit[] = [];
      const parser = commitParser((commit) => found.push(commit));
      for (let at = 0; at < log.length; at += size) parser.push(log.slice(at, at + size));
      parser.end();
      return found;
    };
    const whole = parse(log.length);
    expect(
      whole.map(({ name, isMerge, files }) => [
        name,
        isMerge,
        files.map(({ path, from, added }) => [path, from, added]),
      ]),
    ).toEqual([
      [
        "Ada",
        false,
        [
          ["b".repeat(40), hostile, 1],
          ["binary.png", undefined, 3],
          ["line\nbreak.ts", undefined, 0],
        ],
      ],
      ["Bob", true, []],
    ]);
    for (const size of [1, 2, 7, 64]) expect(parse(size)).toEqual(whole);
  });
});
