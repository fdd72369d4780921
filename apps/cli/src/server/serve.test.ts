/** `devflow serve` as a process of its own, as a team runs it: behind PgBouncer, killed, restarted, backed up, restored. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { homeAt } from "@devflow/core/home";
import { startPooler } from "@devflow/db/testing";
import { initRepository } from "@devflow/git";
import {
  type CliResult,
  devflowCommand,
  killAt,
  runCli,
  runProcess,
  startProcess,
  type TemporaryHome,
  temporaryHome,
  testClone,
} from "@devflow/testkit";

const server = temporaryHome();
const ada = temporaryHome();
const grace = temporaryHome();
const shop = join(ada.path, "shop");
let clone: Awaited<ReturnType<typeof testClone>>;
let pooler: Awaited<ReturnType<typeof startPooler>>;
let port = 0;

beforeAll(async () => {
  clone = await testClone({ migrated: false });
  pooler = await startPooler({ target: clone.target, knows: "everyone" });
  await initRepository(shop, { files: { "README.md": "# Shop\n" }, message: "Start", env: ada.environment() });
}, 120_000);
afterAll(async () => {
  await pooler?.stop();
  await clone?.drop();
});

const env = (database = clone.name) =>
  server.environment({ DEVFLOW_DATABASE_URL: pooler.url(database).reveal(), DEVFLOW_PORT: String(port) });
const serve = (database?: string) =>
  startProcess([...devflowCommand(), "serve", "--public-url", `http://127.0.0.1:${port}`], {
    env: env(database),
    cwd: server.path,
  });
const cli = (home: TemporaryHome, ...words: string[]): Promise<CliResult> =>
  runCli(words, { home, cwd: home === ada ? shop : home.path });

test("it says what is missing", async () => {
  const bare = await runProcess([...devflowCommand(), "serve"], { env: env(), cwd: server.path });
  expect([bare.code, bare.stderr]).toMatchInlineSnapshot(`
    [
      64,
      
    "The setting public_url is missing.
    Set it: devflow serve --public-url https://devflow.example.com
    "
    ,
    ]
  `);
  const open = await runProcess([...devflowCommand(), "serve", "--public-url", "http://devflow.example.com"], {
    env: env(),
    cwd: server.path,
  });
  expect([open.code, open.stderr]).toMatchInlineSnapshot(`
    [
      70,
      
    "The server did not start: http://devflow.example.com is not an https address. Without TLS, tokens could be read on their way.
    See the log: devflow logs
    "
    ,
    ]
  `);
}, 120_000);

describe("through PgBouncer in transaction mode", () => {
  test("a team is set up, joined, restarted after a kill -9, and nobody has to sign in again", async () => {
    port = 0;
    let running = serve();
    const [, chosen, setup = ""] = await running.waitForOutput(/127\.0\.0\.1:(\d+)\/setup(#token=\S+)/, 60_000);
    port = Number(chosen);
    const url = `http://127.0.0.1:${port}`;
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ ok: true });
    expect((await cli(ada, "sync", "init", `${url}/setup${setup}`, "--name", "Ada", "--team", "Engines")).code).toBe(0);
    const { url: invite } = (await cli(ada, "team", "invite", "--json")).json<{ url: string }>();
    expect((await cli(grace, "sync", "setup", invite, "--name", "Grace")).stdout).toContain("Engines: 2 members");

    // No person of the machine, no demo team.
    const people = (await cli(ada, "team", "members", "--json")).json<{ name: string }[]>();
    expect(people.map(({ name }) => name)).toEqual(["Ada", "Grace"]);
    // A second one on the same home is refused.
    const second = await runProcess(
      [...devflowCommand(), "serve", "--public-url", "http://127.0.0.1:0", "--port", "0"],
      {
        env: env(),
        cwd: server.path,
      },
    );
    expect([second.code, second.stderr.includes("Another server already uses")]).toEqual([75, true]);

    running.signal("SIGKILL");
    await running.ended;
    running = serve();
    await running.waitForOutput(/Devflow .* serves/, 60_000);
    expect(running.output().stdout).not.toContain("There is no team yet");
    const both = await Promise.all([cli(ada, "team", "members"), cli(grace, "team", "members")]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    const stopped = await running.stop(20_000);
    expect(stopped.killedBy ?? stopped.code).toBe(0);
  }, 240_000);

  test("a server killed between replacing a refresh token and answering signs nobody out", async () => {
    const { authFile } = homeAt(grace.devflowHome);
    const all = JSON.parse(readFileSync(authFile, "utf8"));
    for (const one of Object.values<Record<string, unknown>>(all)) one.expires_at = 0;
    writeFileSync(authFile, JSON.stringify(all));
    const dying = startProcess([...devflowCommand(), "serve", "--public-url", `http://127.0.0.1:${port}`], {
      env: { ...env(), ...killAt("afterRefreshCommitted") },
      cwd: server.path,
    });
    await dying.waitForOutput(/Devflow .* serves/, 60_000);
    const cut = await cli(grace, "team", "members");
    expect([cut.code, (await dying.ended).killedBy]).toEqual([69, "SIGKILL"]);
    await using running = serve();
    await running.waitForOutput(/Devflow .* serves/, 60_000);
    expect((await cli(grace, "team", "members")).code).toBe(0);
    await running.stop(20_000);
  }, 240_000);

  test("a backup is restored into another database, with its people, tokens and sign-ins", async () => {
    const file = join(server.path, "team.backup");
    const made = await runProcess([...devflowCommand(), "backup", file], { env: env(), cwd: server.path });
    expect([made.code, made.stderr]).toEqual([0, ""]);
    const empty = await testClone({ migrated: false });
    try {
      const back = await runProcess([...devflowCommand(), "restore", file], {
        env: env(empty.name),
        cwd: server.path,
      });
      expect([back.code, back.stderr]).toEqual([0, ""]);
      await using running = serve(empty.name);
      await running.waitForOutput(/Devflow .* serves/, 60_000);
      const members = (await cli(grace, "team", "members", "--json")).json<{ name: string }[]>();
      expect(members.map(({ name }) => name)).toEqual(["Ada", "Grace"]);
      await running.stop(20_000);
    } finally {
      await empty.drop();
    }
  }, 240_000);
});
