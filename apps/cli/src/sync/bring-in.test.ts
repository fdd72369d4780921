/** What a person did before they joined a team, brought in when they join. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { git, initRepository } from "@devflow/git";
import { runCli, temporaryHome } from "@devflow/testkit";
import { startTeam } from "../../testing/start-team.ts";

let team: Awaited<ReturnType<typeof startTeam>>;
const [ada, grace] = [temporaryHome(), temporaryHome()];
const repository = join(grace.path, "shop");
beforeAll(async () => {
  team = await startTeam();
  await runCli(["sync", "init", team.setupUrl, "--name", "Ada", "--team", "Engines"], { home: ada });
  const env = grace.environment();
  await initRepository(repository, { files: { "a.txt": "a" }, message: "Start", env });
  await git(["remote", "add", "origin", "https://github.com/acme/shop.git"], { cwd: repository, env });
}, 60_000);
afterAll(() => team.stop(), 60_000);

const cli = (words: string[], isTerminal = false, stdin = "") =>
  runCli(words, { home: grace, cwd: repository, isTerminal, stdin });
const kinds = async () => {
  const rows = await team.admin<{ kind: string; count: number }[]>`
    select kind, count(*)::int as count from app.records group by kind order by kind`;
  return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]));
};

test("eval runs of the repository's commits and its ships are counted, asked for, and sent once", async () => {
  const { stdout: sha } = await git(["rev-parse", "HEAD"], { cwd: repository, env: grace.environment() });
  const results = join(grace.path, "results.json");
  const run = (suite: string, git_sha: string) =>
    writeFileSync(
      results,
      JSON.stringify({ schema_version: 1, suite, git_sha, all_results: [{ name: "a", passed: true }] }),
    );
  run("mail", sha.trim());
  await cli(["eval", "push", results]);
  run("elsewhere", "f".repeat(40));
  await cli(["eval", "push", results]);
  await cli(["ship", "log", "1.0.0"]);
  const { url } = (await runCli(["team", "invite", "--json"], { home: ada })).json<{ url: string }>();
  await cli(["sync", "setup", url, "--name", "Grace"]);
  // The repository does not name the team yet, so nothing is offered.
  writeFileSync(join(repository, ".devflow.json"), JSON.stringify({ server: team.url, team: "engines" }));
  const told = "1 eval run and 1 ship of this repository are stored on this machine";
  const offered = await cli(["sync", "setup"]);
  expect(offered.stdout.split("\n").at(-2)).toBe(`${told}. To bring them in: devflow sync setup --bring-in`);
  const declined = await cli(["sync", "setup"], true, "no\n");
  expect([declined.stderr.includes(`${told}. Bring them into engines? Type yes:`), await kinds()]).toEqual([true, {}]);
  const accepted = await cli(["sync", "setup"], true, "yes\n");
  expect(accepted.stdout).toContain(`${told}, and were queued for engines.`);
  await cli(["sync", "drain"]);
  const sent = { eval_results: 1, eval_run: 1, ship_log: 1 };
  expect(await kinds()).toEqual(sent);
  expect((await cli(["sync", "setup", "--bring-in", "--json"])).json()).toMatchObject({
    stored: { evalRuns: 1, ships: 1, broughtIn: true },
  });
  await cli(["sync", "drain"]);
  expect(await kinds()).toEqual(sent);
}, 60_000);
