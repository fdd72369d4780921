/** The life of the local server in bad conditions. Real processes, a real Postgres, real kills. */
import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { homeAt } from "@devflow/core/home";
import { isSameProcess, processIdentity } from "@devflow/core/process-proof";
import { postgresPlaces } from "@devflow/db";
import { ApprovalList, RunDetail, RunList, ServerState, ServerStatus } from "@devflow/protocol";
import {
  devflowCommand,
  expectNoLeaks,
  outputOf,
  type ProcessResult,
  runProcess,
  temporaryHome,
} from "@devflow/testkit";

const home = temporaryHome();
const files = homeAt(home.devflowHome);
const env = home.environment({ DEVFLOW_PORT: "0" });

const devflow = (...words: string[]): Promise<ProcessResult> =>
  runProcess([...devflowCommand(), ...words], { env, cwd: home.path, timeoutMs: 60_000 });

const state = (): ServerState => ServerState.parse(JSON.parse(readFileSync(files.serverFile, "utf8")));
const postmaster = (): number =>
  Number(readFileSync(join(postgresPlaces(files.postgresFolder).data, "postmaster.pid"), "utf8").split("\n")[0]);

async function rpc(name: string, args: Record<string, unknown>): Promise<unknown> {
  const { host, port, token } = state();
  const response = await fetch(`http://${host}:${port}/rest/v1/rpc/${name}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(args),
  });
  return await response.json();
}

async function demoTeam(): Promise<string> {
  const [team] = (await rpc("my_teams", {})) as { id: string }[];
  return team?.id ?? "";
}

async function untilTrue(holds: () => boolean): Promise<void> {
  while (!holds()) await Bun.sleep(10);
}

async function untilGone(pid: number): Promise<void> {
  const identity = processIdentity(pid);
  while (identity && isSameProcess({ pid, identity })) await Bun.sleep(10);
}

afterEach(async () => {
  await devflow("down");
});
afterAll(() => {
  // As root the cluster is outside the home.
  rmSync(postgresPlaces(files.postgresFolder).base, { recursive: true, force: true });
});

describe("up", () => {
  test("starts in the background, a second one finds it, down stops everything", async () => {
    const first = await devflow("up", "-d", "--json");
    expect(first).toMatchObject({ code: 0 });
    const running = state();
    expect(statSync(files.serverFile).mode & 0o777).toBe(0o600);
    expect(statSync(files.root).mode & 0o777).toBe(0o700);

    const second = await devflow("up", "-d", "--json");
    expect(second.json()).toMatchObject({ url: `http://127.0.0.1:${running.port}`, pid: running.pid });

    const told = await devflow("status", "--json");
    expect(told.json()).toMatchObject({ running: true, pid: running.pid, status: { version: "0.1.0", mode: "local" } });
    expect(told.stdout).not.toContain(running.token);

    const database = postmaster();
    expect(await devflow("down")).toMatchObject({ code: 0, stdout: "Devflow is stopped.\n" });
    await untilGone(running.pid);
    await untilGone(database);
    expect(existsSync(files.serverFile)).toBe(false);
    expect(outputOf(await devflow("status"))).toMatchInlineSnapshot(`
      "Devflow is not running for <folder>/.devflow.
      Start it: devflow up -d
      --- exit code 1"
    `);
  });

  test("twice at the same moment gives one server", async () => {
    const both = await Promise.all([devflow("up", "-d", "--json"), devflow("up", "-d", "--json")]);
    expect(both.map((one) => one.code)).toEqual([0, 0]);
    const [a, b] = both.map((one) => one.json<{ pid: number }>().pid);
    expect(a).toBe(b as number);
    // The second one must not take the home once the first is gone.
    await devflow("down");
    await expectNoLeaks(60_000);
    expect(await devflow("status")).toMatchObject({ code: 1 });
  });

  test("while another is stopping waits for its end and starts", async () => {
    await devflow("up", "-d");
    const first = state();
    process.kill(first.pid, "SIGTERM");
    await untilTrue(() => !existsSync(files.serverFile));
    const again = await devflow("up", "-d", "--json");
    expect(again).toMatchObject({ code: 0 });
    expect(again.json<{ pid: number }>().pid).not.toBe(first.pid);
  });

  test("with its port in use names the next command", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as { port: number };
    const refused = await devflow("up", "-d", "--port", String(port));
    other.close();
    expect(outputOf(refused)).toMatchInlineSnapshot(`
      "--- stderr
      The server did not start: Port <port> on 127.0.0.1 is already in use.
      Use another one: devflow up --port <port>.
      See the log: devflow logs
      --- exit code 70"
    `);
  });

  test("replaces an idle server of an older version, and leaves a newer one alone", async () => {
    await devflow("up", "-d");
    const old = state();
    writeFileSync(files.serverFile, JSON.stringify({ ...old, version: "0.0.9" }), { mode: 0o600 });
    expect(outputOf(await devflow("up", "-d"))).toMatchInlineSnapshot(`
      "Devflow <version> is running in the background.

        Web   http://127.0.0.1:<port>/#code=<code>
              this link signs you in once, within <duration>; later: devflow open
        Home  <folder>/.devflow
      --- stderr
      Replacing the server of version <version> with <version>."
    `);
    expect(state().pid).not.toBe(old.pid);

    const current = state();
    writeFileSync(files.serverFile, JSON.stringify({ ...current, version: "99.0.0" }), { mode: 0o600 });
    expect(outputOf(await devflow("up", "-d"))).toMatchInlineSnapshot(`
      "Devflow <version> is already running.

        Web   http://127.0.0.1:<port>/#code=<code>
              this link signs you in once, within <duration>; later: devflow open
        Home  <folder>/.devflow
      --- stderr
      The server is version <version>, newer than this <version>. Upgrade: devflow upgrade"
    `);
    expect(isSameProcess(current)).toBe(true);
  });

  test("finds a server whose state file was lost, and so do status and down", async () => {
    await devflow("up", "-d");
    const { pid, port } = state();
    rmSync(files.serverFile);
    expect((await devflow("status", "--json")).json()).toMatchObject({ running: true, pid });
    rmSync(files.serverFile);
    expect((await devflow("up", "-d", "--json")).json()).toMatchObject({ pid, url: `http://127.0.0.1:${port}` });
    expect(statSync(files.serverFile).mode & 0o777).toBe(0o600);

    // One that cannot write it any more: it is frozen.
    process.kill(pid, "SIGSTOP");
    rmSync(files.serverFile);
    const silent = await devflow("run", "list");
    process.kill(pid, "SIGCONT");
    expect(outputOf(silent)).toMatchInlineSnapshot(`
      "--- stderr
      A server (pid <pid>) holds <folder>/.devflow but does not say where it listens.
      It may be starting or stopping; see: devflow status. If it stays like this: devflow down --force
      --- exit code 75"
    `);
    rmSync(files.serverFile, { force: true });
    expect(await devflow("down")).toMatchObject({ code: 0, stdout: "Devflow is stopped.\n" });
    await untilGone(pid);
  });

  test("a state file with the pid of another process does no harm", async () => {
    const sleeper = Bun.spawn(["sleep", "60"]);
    const forged = {
      pid: sleeper.pid,
      identity: "forged",
      host: "127.0.0.1",
      port: 9,
      token: "x".repeat(40),
      version: "0.1.0",
      startedAt: new Date().toISOString(),
    };
    writeFileSync(files.serverFile, JSON.stringify(forged), { mode: 0o600 });
    expect(await devflow("down", "--force")).toMatchObject({ code: 0 });
    expect(sleeper.killed).toBe(false);
    expect(sleeper.exitCode).toBeNull();
    sleeper.kill(9);
    await sleeper.exited;
  });
});

describe("after a kill -9", () => {
  const victims = {
    "of the server": () => [state().pid],
    "of Postgres": () => [postmaster()],
    "of both": () => [state().pid, postmaster()],
  } as const;
  for (const [what, pids] of Object.entries(victims)) {
    test(`${what} the next up works and no acknowledged write is lost`, async () => {
      await devflow("up", "-d", "--demo");
      const team = await demoTeam();
      const acknowledged: string[] = [];
      const doomed = pids();
      const killing = Bun.sleep(150).then(() => {
        for (const pid of doomed) process.kill(pid, "SIGKILL");
      });
      for (let index = 0; index < 200; index++) {
        const id = crypto.randomUUID();
        const answer = await rpc("ping", { team_id: team, note: { index }, id }).catch(() => undefined);
        if ((answer as { id?: string } | undefined)?.id !== id) break;
        acknowledged.push(id);
      }
      await killing;
      for (const pid of doomed) await untilGone(pid);
      await devflow("down");

      expect(await devflow("up", "-d")).toMatchObject({ code: 0 });
      expect(acknowledged.length).toBeGreaterThan(0);
      // An existing ping returns the first one's note; a lost one would be created again with this one.
      for (const [index, id] of acknowledged.entries()) {
        const found = (await rpc("ping", { team_id: team, note: { again: true }, id })) as { note: unknown };
        expect(found.note).toEqual({ index });
      }
    });
  }

  test("of Postgres the running server restarts it", async () => {
    await devflow("up", "-d");
    const killed = postmaster();
    process.kill(killed, "SIGKILL");
    await untilGone(killed);
    const server = state().pid;
    const again = await devflow("up", "-d", "--json");
    expect(again.json()).toMatchObject({ pid: server });
    expect(await demoTeam()).not.toBe("");
    expect(postmaster()).not.toBe(killed);
  });
});

describe("runs", () => {
  const call = async (path: string, body?: unknown) => {
    const { host, port, token } = state();
    const answer = await fetch(`http://${host}:${port}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return await answer.json();
  };
  const busy = async () => ServerStatus.parse(await call("/api/status")).busy;

  test("that were under way go on after a restart, before anybody asks for them", async () => {
    await devflow("up", "-d", "--demo");
    expect(await busy()).toEqual([]);
    const { approvals } = ApprovalList.parse(await call("/api/approvals?state=pending"));
    await call(`/api/approvals/${approvals[0]?.id}/decisions`, { verdict: "approve", clientToken: "approved" });
    const { pid } = state();
    process.kill(pid, "SIGKILL");
    await untilGone(pid);

    await devflow("up", "-d");
    // Status alone brings no runs into memory: what works now was taken up by the server itself.
    expect(await busy()).toEqual(["1 run"]);
    while ((await busy()).length > 0) await Bun.sleep(50);
    const [run] = RunList.parse(await call("/api/runs")).runs;
    expect(run).toMatchObject({ pendingApprovals: 1 });

    // Its agents end with it.
    await call(`/api/runs/${run?.id}/abort`, { clientToken: "enough" });
    while (!RunDetail.parse(await call(`/api/runs/${run?.id}`)).hasReport) await Bun.sleep(50);
  });

  test("leave nothing to do at a start when all of them have ended", async () => {
    await devflow("up", "-d");
    expect(await busy()).toEqual([]);
  });
});

describe("open", () => {
  test("starts the server if there is none, and its link works once", async () => {
    const opened = await devflow("open", "--print", "--json");
    const { url } = opened.json<{ url: string }>();
    const { origin, hash } = new URL(url);
    const exchange = () =>
      fetch(`${origin}/auth/exchange`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ code: hash.slice("#code=".length) }),
      });
    const first = await exchange();
    expect(first.status).toBe(200);
    const { token } = (await first.json()) as { token: string };
    const status = await fetch(`${origin}/api/status`, { headers: { authorization: `Bearer ${token}` } });
    expect(status.status).toBe(200);
    expect((await exchange()).status).toBe(401);
  });
});

describe("backup and restore", () => {
  const withoutFiles = (result: ProcessResult) =>
    outputOf(result)
      .replace(/\d+ (files?|branch(es)?)\b/g, (_, what) => `<n> ${what.startsWith("f") ? "files" : "branches"}`)
      .replace(/\d+ tables/, "<n> tables")
      .replace(/\d+ kept/, "<n> kept");

  test("restore everything after the data folder was lost", async () => {
    await devflow("up", "-d", "--demo");
    const team = await demoTeam();
    const before = await rpc("list_repos", { team_id: team });
    const log = await rpc("changes", { team_id: team });
    const file = join(home.path, "all.devflow-backup");
    expect(withoutFiles(await devflow("backup", file))).toMatchInlineSnapshot(`
      "<folder>/all.devflow-backup: <n> rows from <n> tables, <n> files with <n> branches of runs, <size>.
      It contains this machine's keys: keep it private.
      Restore it with: devflow restore <folder>/all.devflow-backup"
    `);
    expect(outputOf(await devflow("backup", file))).toMatchInlineSnapshot(`
      "--- stderr
      <folder>/all.devflow-backup already exists.
      Choose another name: devflow backup <file>
      --- exit code 75"
    `);
    expect(outputOf(await devflow("restore", file))).toMatchInlineSnapshot(`
      "--- stderr
      The server is running.
      devflow down && devflow restore <folder>/all.devflow-backup
      --- exit code 75"
    `);
    const [run] = readdirSync(files.workspaces).filter((name) => /^[0-9a-f-]{36}$/.test(name));
    const artifacts = join(files.workspaces, `${run}`, "artifacts");
    const lost = [join(artifacts, "plan.json"), files.signingKeyFile, files.machineIdFile];
    const kept = lost.map((path) => readFileSync(path, "utf8"));
    await devflow("down");

    const { data } = postgresPlaces(files.postgresFolder);
    renameSync(data, `${data}-lost`);
    for (const path of lost) rmSync(path);
    expect(withoutFiles(await devflow("restore", file))).toMatchInlineSnapshot(`
      "<n> rows in <n> tables restored; counts and hashes match.
      <n> files restored, <n> kept as they are; <n> branches of runs there.
      Start the server: devflow up -d"
    `);
    await devflow("up", "-d");
    expect(await rpc("list_repos", { team_id: team })).toEqual(before);
    expect(await rpc("changes", { team_id: team })).toEqual(log);
    expect(lost.map((path) => readFileSync(path, "utf8"))).toEqual(kept);

    await devflow("down");
    const whole = readFileSync(file);
    writeFileSync(file, whole.subarray(0, whole.length / 2));
    expect(outputOf(await devflow("restore", file, "--replace"))).toMatchInlineSnapshot(`
      "--- stderr
      Cannot restore <folder>/all.devflow-backup: it is damaged or truncated.
      Create a backup with: devflow backup <file>
      --- exit code 65"
    `);
  });
});

test("the log shows what happened, and can be followed", async () => {
  await devflow("up", "-d");
  const lines = await devflow("logs", "-n", "20");
  expect(lines.stdout).toContain("server started");
  const asJson = await devflow("logs", "-n", "1", "--json");
  expect(JSON.parse(asJson.stdout)).toMatchObject({ level: "info", module: "server" });
  expect((await devflow("logs", "--postgres")).stdout).toContain("ready to accept connections");
});

test("npm start --once is a demo that ends and leaves no process", async () => {
  expect(outputOf(await devflow("up", "--once"))).toMatchInlineSnapshot(`
    "Devflow <version> works on this machine.
      Demo  team Demo, repository <folder>/.devflow/workspaces/demo
            stored under row-level security, <n> changes in the team's log
      Run   “Greet in several languages” completed: 7 phases, <n> events, verified
            report <folder>/.devflow/workspaces/<id>/<id>.report.md
    --- stderr
    Creating the demo repository …
    Running development-fake@1 …
    Approving plan approved …
    Approving ship approved …"
  `);
  expect(await devflow("status")).toMatchObject({ code: 1 });
});
