/** The fleet in the terminal, as a person types it; its workers are rows here, and processes in apps/worker/tests. */
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { version } from "@devflow/core/version";
import { git } from "@devflow/git";
import { type CliResult, outputOf, runCli } from "@devflow/testkit";
import { type RunsServer, startRunsServer } from "@devflow/testkit/runs-server";

const it: RunsServer = await startRunsServer();
afterAll(() => it.stop(), 120_000);

const devflow = (...words: string[]): Promise<CliResult> => runCli(words, { home: it.home, cwd: it.repository });

const announce = (host: string, silentSeconds: number, labels = "{}") =>
  it.database.database.asEngine(
    (tx) => tx`
      insert into app.hosts (host, name, version, labels, agents, places, workspace_root, public_key, suspect_ms, lost_ms, beat_at, engine)
      values (${host}, ${host}, ${version}, ${labels}::text[], '[{"backend": "fake", "available": true}]', 4, '/nowhere', '', 120000, 600000,
        now() - make_interval(secs => ${silentSeconds}),
        '{"kind": "connected", "message": "127.0.0.1:7233, namespace devflow", "since": "2026-01-01T00:00:00Z"}')`,
  );

test("without machines, it says that the server drives its runs itself", async () => {
  expect(outputOf(await devflow("fleet", "list"))).toMatchInlineSnapshot(
    `"No machines: this server drives its runs itself (engine: inline). How to use more machines: docs/fleet.md"`,
  );
});

test("machines are listed, drained and removed", async () => {
  await announce("build-1", 30, "{gpu,eu}");
  await announce("build-2", 125);
  await announce("build-3", 3_665);
  expect(outputOf(await devflow("fleet", "list"))).toMatchInlineSnapshot(`
    "MACHINE  STATE    RUNS    LAST BEAT      AGENTS  LABELS   VERSION
    build-1  present  0 of 4  <duration> ago       fake    gpu, eu  <version>
    build-2  suspect  0 of 4  <duration> ago      fake             <version>
    build-3  lost     0 of 4  <duration> ago  fake             <version>
    The worker on build-2 has not been heard of for <duration>. Start it there: devflow-worker. If the machine is gone: devflow fleet remove build-2
    The worker on build-3 has not been heard of for <duration>. Start it there: devflow-worker. If the machine is gone: devflow fleet remove build-3"
  `);
  expect(outputOf(await devflow("fleet", "drain", "build-1"))).toMatchInlineSnapshot(
    `"build-1 takes no new runs; what it works on continues. Undo it: devflow fleet drain build-1 --undo"`,
  );
  expect(
    outputOf(await devflow("run", "start", "Greet", "--on", "gpu", "--template", "development-fake@1")),
  ).toMatchInlineSnapshot(`
    "--- stderr
    <folder>/shop has no remote called origin, so another machine cannot fetch it.
    Add one: git -C <folder>/shop remote add origin <url>
    --- exit code 65"
  `);
  expect(outputOf(await devflow("fleet", "drain", "build-1", "--undo"))).toMatchInlineSnapshot(
    `"build-1 takes runs again."`,
  );
  expect(outputOf(await devflow("fleet", "remove", "build-3"))).toMatchInlineSnapshot(
    `"build-3 is removed. A worker that is started there again announces itself anew."`,
  );
  expect(outputOf(await devflow("fleet", "remove", "build-9"))).toMatchInlineSnapshot(`
    "--- stderr
    The machine build-9 was not found.
    See them: devflow fleet list
    --- exit code 66"
  `);
  const { hosts } = (await devflow("fleet", "list", "--json")).json<{ hosts: { host: string; state: string }[] }>();
  expect(hosts.map(({ host, state }) => [host, state])).toEqual([
    ["build-1", "present"],
    ["build-2", "suspect"],
  ]);
});

test("a member who is no admin sees the machines and may neither drain nor remove them", async () => {
  const role = (name: string) =>
    it.database.database.asEngine(
      (tx) => tx`update app.team_members set role = ${name} where team_id = ${it.teamId} and user_id = ${it.userId}`,
    );
  await role("member");
  try {
    expect(outputOf(await devflow("fleet", "drain", "build-1"))).toMatchInlineSnapshot(`
      "--- stderr
      Only admins may drain or remove a machine.
      Ask an owner or admin of the team: devflow team members
      --- exit code 77"
    `);
    expect((await devflow("fleet", "remove", "build-1")).code).toBe(77);
  } finally {
    await role("owner");
  }
});

test("whether runs can move is checked with a ref on the remote, which is removed again", async () => {
  expect(outputOf(await devflow("fleet", "check"))).toMatchInlineSnapshot(`
    "ok   machines: 1 of 2 can take runs
    FAIL engine: The worker on build-2 has not been heard of for <duration>. Start it there: devflow-worker. If the machine is gone: devflow fleet remove build-2
    FAIL remote: A remote called "origin" of <folder>/shop was not found. Add one: git -C <folder>/shop remote add origin <url>
    --- exit code 1"
  `);
  const place = { cwd: it.repository, env: it.home.environment() };
  const remote = join(it.home.path, "shop.git");
  await git(["init", "--bare", "--quiet"], { ...place, paths: [remote] });
  await git(["remote", "add", "origin", remote], place);
  await devflow("fleet", "remove", "build-2");
  expect(outputOf(await devflow("fleet", "check"))).toMatchInlineSnapshot(`
    "ok   machines: 1 of 1 can take runs
    ok   engine: all well
    ok   remote: <folder>/shop.git takes refs under refs/devflow/"
  `);
  const left = await git(["ls-remote"], { ...place, protocols: ["file"], revisions: [remote] });
  expect(left.stdout).toBe("");
});
