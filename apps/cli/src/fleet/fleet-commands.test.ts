/** The fleet in the terminal, as a person types it; its workers are rows here, and processes in apps/worker/tests. */
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
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
      values (${host}, ${host}, '0.1.0', ${labels}::text[], '[{"backend": "fake", "available": true}]', 4, '/nowhere', '', 120000, 600000,
        now() - make_interval(secs => ${silentSeconds}),
        '{"kind": "connected", "message": "127.0.0.1:7233, namespace devflow", "since": "2026-01-01T00:00:00Z"}')`,
  );

test("without machines, it says that the server drives its runs itself", async () => {
  expect(outputOf(await devflow("fleet", "list"))).toMatchInlineSnapshot();
});

test("machines are listed, drained and removed", async () => {
  await announce("build-1", 3, "{gpu,eu}");
  await announce("build-2", 150);
  await announce("build-3", 3_700);
  expect(outputOf(await devflow("fleet", "list"))).toMatchInlineSnapshot();
  expect(outputOf(await devflow("fleet", "drain", "build-1"))).toMatchInlineSnapshot();
  expect(
    outputOf(await devflow("run", "start", "Greet", "--on", "gpu", "--template", "development-fake@1")),
  ).toMatchInlineSnapshot();
  expect(outputOf(await devflow("fleet", "drain", "build-1", "--undo"))).toMatchInlineSnapshot();
  expect(outputOf(await devflow("fleet", "remove", "build-3"))).toMatchInlineSnapshot();
  expect(outputOf(await devflow("fleet", "remove", "build-9"))).toMatchInlineSnapshot();
  const { hosts } = (await devflow("fleet", "list", "--json")).json<{ hosts: { host: string; state: string }[] }>();
  expect(hosts.map(({ host, state }) => [host, state])).toEqual([
    ["build-1", "present"],
    ["build-2", "suspect"],
  ]);
});

test("whether runs can move is checked with a ref on the remote, which is removed again", async () => {
  expect(outputOf(await devflow("fleet", "check"))).toMatchInlineSnapshot();
  const place = { cwd: it.repository, env: it.home.environment() };
  const remote = join(it.home.path, "shop.git");
  await git(["init", "--bare", "--quiet"], { ...place, paths: [remote] });
  await git(["remote", "add", "origin", remote], place);
  await devflow("fleet", "remove", "build-2");
  expect(outputOf(await devflow("fleet", "check"))).toMatchInlineSnapshot();
  expect((await git(["for-each-ref"], { ...place, cwd: remote })).stdout).toBe("");
});
