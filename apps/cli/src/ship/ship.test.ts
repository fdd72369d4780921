/** `devflow ship`, `devflow retro` and `devflow dashboard` against a real server of this home. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomic } from "@devflow/core/atomic-file";
import { homeAt } from "@devflow/core/home";
import { proofOfSelf } from "@devflow/core/process-proof";
import { version } from "@devflow/core/version";
import { outputOf, runCli, type TemporaryHome, temporaryFolder, temporaryHome } from "@devflow/testkit";
import { startTeamServer, type TeamServer } from "@devflow/testkit/team-server";

let it: TeamServer;
let home: TemporaryHome;
let repository: string;
beforeAll(async () => {
  it = await startTeamServer();
  home = temporaryHome({ isKept: true });
  mkdirSync(home.devflowHome, { recursive: true, mode: 0o700 });
  repository = join(home.path, "shop");
  mkdirSync(repository);
  git("init", "-q", "-b", "main");
  git("remote", "add", "origin", "git@github.com:Acme/Shop.git");
}, 120_000);
afterAll(async () => {
  await it.stop();
  home.remove();
}, 60_000);

const git = (...words: string[]): string =>
  execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...words], {
    cwd: repository,
    encoding: "utf8",
    env: { ...home.environment(), PATH: process.env.PATH ?? "" },
  }).trim();
function commit(message: string, files: Record<string, string> = {}): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(repository, path, ".."), { recursive: true });
    writeFileSync(join(repository, path), content);
  }
  git("add", "-A");
  git("commit", "-q", "--allow-empty", "-m", message);
  return git("rev-parse", "HEAD");
}
async function connect(): Promise<void> {
  const { host, port } = it.server;
  const state = { ...proofOfSelf(), host, port, token: it.machineToken, version, startedAt: new Date().toISOString() };
  await writeFileAtomic(homeAt(home.devflowHome).serverFile, JSON.stringify(state));
}
const run = (...words: string[]) => runCli(words, { home, cwd: repository });
const told = async (...words: string[]) => outputOf(await run(...words)).replaceAll(home.path, "<home>");
const stored = () =>
  it.admin<{ version: string; commits: number; fixes: string[]; has_lead: boolean }[]>`
    select version, commits, fixes, lead_s is not null as has_lead from app.ship_logs order by at, version`;

describe("ship log", () => {
  test("outside a repository, and before the first commit", async () => {
    const outside = await runCli(["ship", "log"], { home, cwd: temporaryFolder("nowhere") });
    expect(outputOf(outside)).toMatchInlineSnapshot(`
      "--- stderr
      A git repository in <folder> was not found.
      Go to one, or make one: git init
      --- exit code 66"
    `);
    expect(await told("ship", "log")).toMatchInlineSnapshot(`
      "--- stderr
      This repository has no commit yet, so there is nothing to ship.
      Commit first.
      --- exit code 65"
    `);
    expect(await told("ship", "list")).toMatchInlineSnapshot(
      `"Nothing was shipped from this repository yet. Record a ship: devflow ship log"`,
    );
  });

  test("without a team a ship is kept on this machine; nothing is queued", async () => {
    commit("Start", { "package.json": '{ "version": "1.0.0" }\n' });
    expect(await told("ship", "log")).toMatchInlineSnapshot(
      `"Shipped shop <version> from main: no earlier ship or version tag to count commits from."`,
    );
    expect(readdirSync(home.devflowHome)).not.toContain("spool");
  });

  test("with a team it counts the commits since the last ship, and logging it again changes nothing", async () => {
    await connect();
    commit("feat: cart");
    commit("feat: list", { "package.json": '{ "version": "1.1.0" }\n' });
    expect(await told("ship", "log", "--pr", "https://github.com/acme/shop/pull/7")).toMatchInlineSnapshot(`
      "Shipped shop <version> from main: 2 commits, <duration> from commit to ship.
      --- stderr
      Synced to team ✓"
    `);
    expect(await told("ship", "log")).toMatchInlineSnapshot(`
      "shop <version> from main was logged before.
      --- stderr
      Synced to team ✓"
    `);
    expect((await stored()).map((row) => ({ ...row }))).toEqual([
      { version: "1.1.0", commits: 2, fixes: [], has_lead: true },
    ]);
  });

  test("a revert of a shipped commit repairs the ship that brought it", async () => {
    const bad = commit("feat: a mistake");
    await run("ship", "log", "1.2.0");
    commit("feat: more");
    await run("ship", "log", "1.3.0");
    commit(`Revert "feat: a mistake"\n\nThis reverts commit ${bad}.`);
    expect(await told("ship", "log", "1.3.1")).toMatchInlineSnapshot(`
      "Shipped shop <version> from main: 1 commit, <duration> from commit to ship; repairs <version>.
      --- stderr
      Synced to team ✓"
    `);
    expect((await stored()).at(-1)?.fixes).toEqual(["1.2.0"]);
  });

  test("a hotfix repairs the last ship, and --fixes says what nobody can see", async () => {
    git("checkout", "-q", "-b", "hotfix/login");
    commit("fix: login");
    expect((await run("ship", "log", "1.3.2", "--json")).json<{ fixes: string[] }>().fixes).toEqual(["1.3.1"]);
    commit("fix: logout");
    const given = await run("ship", "log", "1.3.3", "--fixes", "1.0.0", "--fixes", "1.1.0", "--json");
    expect(given.json<{ fixes: string[] }>().fixes).toEqual(["1.0.0", "1.1.0"]);
    git("checkout", "-q", "main");
    git("merge", "-q", "--ff-only", "hotfix/login");
  });

  test("a teammate's ship is known after a pull", async () => {
    const sha = commit("feat: theirs");
    const at = new Date().toISOString();
    const payload = { version: "2.0.0", branch: "main", sha };
    const record = {
      id: crypto.randomUUID(),
      kind: "ship_log",
      schema_version: 1,
      at,
      repo: "github.com/acme/shop",
      payload,
    };
    await it.database.database.withClaims(
      { sub: it.member.id, role: "authenticated" },
      (tx) => tx`select api.push_records(${it.teamId}, ${tx.json([record] as never)})`,
    );
    await run("sync", "pull");
    commit("feat: mine");
    expect((await run("ship", "log", "2.1.0", "--json")).json<{ commits: number }>().commits).toBe(1);
    expect((await told("ship", "list")).split("\n").slice(0, 3).join("\n")).toMatchInlineSnapshot(`
      "VERSION  BRANCH        COMMITS  WHO    WHEN
      <version>    main          1        you  <duration> ago
      <version>    main          —        Grace  <duration> ago"
    `);
  });

  test("a wrong start is refused with what is wrong", async () => {
    expect(await told("ship", "log", "9.9.9", "--since", "nowhere")).toMatchInlineSnapshot(`
      "--- stderr
      The commit "nowhere" was not found.
      List commits: git log
      --- exit code 66"
    `);
    expect(await told("ship", "log", "9.9.9", "--since=--output=/tmp/x")).toMatchInlineSnapshot(`
      "--- stderr
      "--output=/tmp/x" starts with a dash, so it cannot be the name of a branch, commit or file.
      List the branches: git branch --list
      --- exit code 65"
    `);
    expect(await told("ship", "log", "9.9.9", "--pr", "not a link")).toMatchInlineSnapshot(`
      "--- stderr
      --pr: Invalid URL.
      See: devflow ship log --help
      --- exit code 64"
    `);
  });

  test("offline it waits", async () => {
    rmSync(homeAt(home.devflowHome).serverFile);
    commit("feat: on a train");
    expect(await told("ship", "log", "2.2.0")).toMatchInlineSnapshot(`
      "Shipped shop <version> from main: 1 commit, <duration> from commit to ship.
      --- stderr
      Queued (offline)"
    `);
    await connect();
    await run("sync", "drain");
    expect((await stored()).map((row) => row.version)).toContain("2.2.0");
  });
});

describe("retro", () => {
  test("is shared with the team, once for the same numbers", async () => {
    const result = await run("retro", "7d", "--json");
    const { metrics, record, tweetable } = result.json<{
      metrics: { commits: number; reverts: number; assisted: { commits: number } };
      record: string;
      tweetable: string;
    }>();
    expect(metrics).toMatchObject({ reverts: 1, assisted: { commits: 0 } });
    expect(tweetable).toStartWith(`7 days of shop: ${metrics.commits} commits by 1 person`);
    expect((await run("retro", "7d", "--json")).json<{ record: string }>().record).toBe(record);
    const [row] = await it.admin`select span, user_id from app.retro_snapshots where id = ${record}`;
    expect({ ...row }).toEqual({ span: "7d", user_id: it.owner.id });
  });

  test("with the team's work, from the cache", async () => {
    await run("sync", "pull");
    const { team } = (await run("retro", "--team", "--no-share", "--json")).json<{ team: object }>();
    expect(team).toMatchObject({ name: "Demo", eval_runs: 0, qa: { reports: 0, newest_score: null } });
  });

  test("as text, of a day in the past", async () => {
    const old = { GIT_AUTHOR_DATE: "2026-01-05T10:00:00Z", GIT_COMMITTER_DATE: "2026-01-05T10:00:00Z" };
    const again = { GIT_AUTHOR_DATE: "2026-01-05T10:40:00Z", GIT_COMMITTER_DATE: "2026-01-05T10:40:00Z" };
    const other = join(home.path, "other");
    mkdirSync(join(other, "src"), { recursive: true });
    const inOther = (env: Record<string, string>, ...words: string[]) =>
      execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...words], {
        cwd: other,
        env: { ...home.environment(), PATH: process.env.PATH ?? "", ...env },
      });
    inOther({}, "init", "-q", "-b", "main");
    writeFileSync(join(other, "src/a.ts"), "a\nb\n");
    inOther({}, "add", "-A");
    inOther(old, "commit", "-q", "-m", "feat: a\n\nCo-Authored-By: Claude <noreply@anthropic.com>");
    writeFileSync(join(other, "src/a.ts"), "a\nb\nc\n");
    writeFileSync(join(other, "src/a.test.ts"), "a\n");
    writeFileSync(join(other, "TODO.md"), "- [ ] x\n- [x] y\n");
    inOther({}, "add", "-A");
    inOther(again, "commit", "-q", "-m", "test: a");
    const text = await runCli(["retro", "7d", "--until", "2026-01-06", "--no-share"], { home, cwd: other });
    expect(outputOf(text)).toMatchInlineSnapshot(`
      "other  7 days until <time>

      Commits   2 by 1 person on 1 day (before: 0 by 0)
      Lines     code +3 −0, tests +1 −0, docs +2 −0, generated +0 −0
      Tests     25.0 % of the added code and tests
      Sessions  1, <duration> in all, 0 of <duration> or more, longest <duration>
      With AI   1 of 2 commits (50.0 %), by their trailers
      Reverts   0
      Streak    1 day
      Backlog   1 open, 1 done in TODO.md

      AUTHOR  COMMITS  LINES   TESTS  WITH AI    SESSIONS  MOSTLY IN
      Ada           2  +6 −0  25.0 %   50.0 %  1 (<duration>)  src/

      Most active
        src/  ████████████  2 commits
        .     ██████······  1 commit

      Changed again and again
        src/a.ts  ████████████  2 commits

      7 days of other: 2 commits by 1 person, +6 −0 lines, 25 % tests, 50 % with AI."
    `);
    const nothing = await runCli(["retro", "7d", "--until", "2025-06-06", "--no-share"], { home, cwd: other });
    expect(outputOf(nothing)).toMatchInlineSnapshot(`
      "other  7 days until <time>

      No commits. The 7 days before had 0."
    `);
  });

  test("a window that is none is refused", async () => {
    expect(await told("retro", "soon")).toMatchInlineSnapshot(`
      "--- stderr
      window: expected days, such as 7d.
      See: devflow retro --help
      --- exit code 64"
    `);
  });
});

test("dashboard prints a link that signs in to the team's screen", async () => {
  expect(await told("dashboard", "--print")).toMatchInlineSnapshot(`"http://127.0.0.1:<port>/team/pulse#code=<code>"`);
});

test("a QA report goes to the team by itself", async () => {
  const report = await run("qa", "report", "--no-evidence", "--url", "https://shop.example");
  expect(report.stderr).toBe("Synced to team ✓\n");
  const rows = await it.admin`select url, mode, health_score from app.qa_reports`;
  expect(rows.map((row) => ({ ...row }))).toEqual([
    { url: "https://shop.example", mode: "findings", health_score: null },
  ]);
});

test("the leaderboard names nobody who has not joined", async () => {
  expect(await told("team", "leaderboard")).toMatchInlineSnapshot(`
    "Demo since <time>

    NAME  SHIPS  EVAL RUNS  PASSED  REGRESSIONS FIXED  REVIEWS  QA  COST PER SHIP
    Team      9          0       —                  0        0   —             $0

    You are not named. To join: devflow team leaderboard --join. 2 people are counted and not named."
  `);
  expect(await told("team", "leaderboard", "--join", "--repo", "shop")).toMatchInlineSnapshot(`
    "Demo since <time>

    NAME  SHIPS  EVAL RUNS  PASSED  REGRESSIONS FIXED  REVIEWS  QA  COST PER SHIP
    Ada       8          0       —                  0        0   —             $0
    Team      9          0       —                  0        0   —             $0

    You are named. To leave: devflow team leaderboard --leave. 1 more person is counted and not named."
  `);
  expect((await run("team", "leaderboard", "--leave", "--json")).json<{ people: unknown[] }>().people).toEqual([]);
  expect(await told("team", "leaderboard", "--join", "--leave")).toMatchInlineSnapshot(`
    "--- stderr
    --join and --leave exclude each other.
    Give one.
    --- exit code 64"
  `);
  expect(await told("team", "leaderboard", "--repo", "nowhere")).toMatchInlineSnapshot(`
    "--- stderr
    the team has no repository "nowhere"
    List them: devflow sync status
    --- exit code 66"
  `);
});
