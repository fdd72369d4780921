/** `devflow sync migrate`: the files of older tools, as they lie on a machine. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeFileAtomic } from "@devflow/core/atomic-file";
import { homeAt } from "@devflow/core/home";
import { proofOfSelf } from "@devflow/core/process-proof";
import { version } from "@devflow/core/version";
import { git, initRepository } from "@devflow/git";
import { outputOf, runCli, type TemporaryHome, temporaryHome } from "@devflow/testkit";
import { startTeamServer, type TeamServer } from "@devflow/testkit/team-server";

let it: TeamServer;
let home: TemporaryHome;
let repository: string;
beforeAll(async () => {
  it = await startTeamServer();
  home = temporaryHome({ isKept: true });
  mkdirSync(home.devflowHome, { recursive: true, mode: 0o700 });
  repository = join(home.path, "shop");
  await initRepository(repository, { files: { "README.md": "# Shop\n" }, message: "Start", env: home.environment() });
  await git(["remote", "add", "origin", "git@github.com:Acme/Shop.git"], { cwd: repository, env: home.environment() });
  const { host, port } = it.server;
  const state = { ...proofOfSelf(), host, port, token: it.machineToken, version, startedAt: new Date().toISOString() };
  await writeFileAtomic(homeAt(home.devflowHome).serverFile, JSON.stringify(state));
}, 120_000);
afterAll(async () => {
  await it.stop();
  home.remove();
}, 60_000);

const migrate = async (words: string[], stdin?: string) =>
  outputOf(
    await runCli(["sync", "migrate", ...words], { home, cwd: repository, ...(stdin === undefined ? {} : { stdin }) }),
  ).replaceAll(home.path, "<home>");
function put(path: string, content: unknown): void {
  mkdirSync(dirname(join(home.path, path)), { recursive: true });
  writeFileSync(join(home.path, path), typeof content === "string" ? content : JSON.stringify(content));
}
/** Names, sizes, times and content of everything that older tools own. */
const snapshot = () =>
  [".gstack", ".gstack-dev", ".fstack", "shop/.context", "shop/.gstack"].flatMap((folder) =>
    readdirSync(join(home.path, folder), { recursive: true, encoding: "utf8" })
      .sort()
      .map((name) => {
        const path = join(home.path, folder, name);
        const { mtimeMs } = statSync(path);
        return [path, mtimeMs, statSync(path).isFile() ? readFileSync(path, "utf8") : ""];
      }),
  );
const stored = async () => {
  const rows = await it.admin<{ kind: string; count: number }[]>`
    select kind, count(*)::int as count from app.records where kind <> 'ping' group by kind order by kind`;
  return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]));
};

test("without such files there is nothing to do", async () => {
  expect(await migrate(["--yes"])).toMatchInlineSnapshot(`
    "FOUND
    Eval runs                 0
    Retros                    0
    Judged review findings    0
    QA reports                0
    Waiting in the old queue  0
    There is nothing to import."
  `);
});

test("it shows what there is, and imports nothing without a yes", async () => {
  put(".gstack-dev/evals/e2e-1.json", {
    ...{
      schema_version: 1,
      version: "0.3.9",
      branch: "main",
      git_sha: "abc1234",
      timestamp: "2026-03-15T10:30:00Z",
      hostname: "mac",
    },
    ...{ tier: "e2e", total_tests: 2, passed: 1, failed: 1, total_cost_usd: 0.5, total_duration_ms: 2000 },
    tests: [
      { name: "browses", suite: "browse", tier: "e2e", passed: true, duration_ms: 1000, cost_usd: 0.3 },
      { name: "ships", suite: "browse", tier: "e2e", passed: false, duration_ms: 1000, cost_usd: 0.2 },
    ],
  });
  put(".gstack-dev/evals/standard.json", {
    suite: "billing",
    timestamp: "2026-03-15T11:00:00Z",
    results: [{ name: "a", passed: true }],
  });
  put(".gstack-dev/evals/broken.json", "{ not JSON");
  put(
    ".gstack/greptile-history.md",
    "2026-03-13 | acme/shop | fp | src/*.ts | null-check\n2026-03-14 | acme/blog | fix | a.rb | x\n",
  );
  put(".gstack/sync-queue.json", [
    { table: "ship_logs", data: { repo_slug: "acme-shop", version: "1.2.0", branch: "main" } },
  ]);
  put(".fstack/projects/acme-shop/retros/2026-03-08.json", {
    date: "2026-03-08",
    window: "7d",
    metrics: { commits: 47 },
  });
  put(".fstack/projects/acme-shop/learnings.jsonl", '{"key":"a"}\n{"key":"b"}\n');
  put(".fstack/projects/acme-shop/timeline.jsonl", '{"skill":"ship"}\n');
  put(".fstack/projects/acme-blog/learnings.jsonl", '{"key":"c"}\n');
  put("shop/.context/retros/2026-03-15-1.json", {
    date: "2026-03-15",
    window: "7d",
    metrics: { commits: 12 },
    authors: {},
  });
  put("shop/.context/retros/broken.json", "{ not JSON");
  put("shop/.gstack/qa-reports/baseline.json", { url: "http://localhost:3000", healthScore: 72, issues: [] });
  put("shop/.gstack-sync.json", { supabase_url: "https://xyz.supabase.co", supabase_anon_key: "k", team_slug: "xyz" });
  expect(await migrate(["--dry-run"])).toMatchInlineSnapshot(`
    "FOUND
    Eval runs                 3
    Retros                    2
    Judged review findings    1
    QA reports                1
    Waiting in the old queue  1
    Entries of other repositories, where you can run this too: 2
    Learnings, which wait for the brain: 2
    Lines of timelines, for which a team has no records: 1
    This repository was connected with https://xyz.supabase.co, team xyz. What is stored there is not imported.
    Could not be read: 1
      <folder>/shop/.context/retros/broken.json: it is not JSON"
  `);
  expect(await migrate([], "no\n")).toContain("Nothing was imported.");
  expect(await migrate(["--json"])).toContain("With --json nobody can be asked.");
  expect(await stored()).toEqual({});
});

test("it imports them, changes none of the files, and twice is once", async () => {
  const before = snapshot();
  const first = await migrate([], "yes\n");
  expect(first.split("\n").find((line) => line.includes("imported"))).toMatchInlineSnapshot(
    `"5 records and 2 eval runs sent to Demo, which stores each once; 0 eval runs had been imported before."`,
  );
  await runCli(["sync", "drain"], { home, cwd: repository });
  const all = await stored();
  expect(all).toMatchInlineSnapshot(`
    {
      "eval_results": 2,
      "eval_run": 2,
      "qa_report": 1,
      "retro_snapshot": 2,
      "review_triage": 1,
      "ship_log": 1,
    }
  `);
  expect(await migrate(["--yes"])).toContain("had been imported before");
  await runCli(["sync", "drain"], { home, cwd: repository });
  expect(await stored()).toEqual(all);
  expect(snapshot()).toEqual(before);
  const listed = await runCli(["eval", "list", "--json"], { home, cwd: repository });
  expect(
    listed
      .json<{ runs: { suite: string }[] }>()
      .runs.map(({ suite }) => suite)
      .sort(),
  ).toEqual(["billing", "browse"]);
});

test("what only has the name of a file is listed, once, and takes nothing else along", async () => {
  symlinkSync("nowhere", join(home.path, ".gstack-dev/evals/moved.json"));
  mkdirSync(join(home.path, ".gstack-dev/evals/older.json"));
  const said = await migrate(["--yes"]);
  expect(said).toContain("had been imported before");
  expect(said).toContain("moved.json: it is a link to nothing");
  expect(said).toContain("older.json: it is a folder");
  // The overview lists it already.
  expect(said.split("retros/broken.json").length).toBe(2);
});
