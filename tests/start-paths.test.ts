/** Nothing heavy on the way to an answer: what each way of starting Devflow really loads, chunk by chunk. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { socketPath } from "@devflow/browse/client";
import { homeAt } from "@devflow/core/home";
import { postgresPlaces } from "@devflow/db";
import { CodeIssued, ServerState } from "@devflow/protocol";
import { runProcess, startProcess, temporaryFolder, temporaryHome } from "@devflow/testkit";
import { startPathFaults, startPaths } from "../scripts/boundaries/start-paths.ts";
import { type SplitProgram, splitProgram } from "./start-paths/split-program.ts";

const root = join(import.meta.dir, "..");
const recorder = join(import.meta.dir, "start-paths/record-loaded.ts");
const home = temporaryHome({ isKept: true });
const files = homeAt(home.devflowHome);
const record = join(home.path, "loaded");
const env = home.environment({ DEVFLOW_PORT: "0", LOADED_MODULES: record });
const cwd = temporaryFolder("ws");
let program: SplitProgram;

beforeAll(async () => {
  program = await splitProgram(root);
});
afterAll(async () => {
  await runProcess(devflow("down"), { env, cwd: home.path });
  program.remove();
  home.remove();
  // As root the cluster lives outside of the home.
  rmSync(postgresPlaces(files.postgresFolder).base, { recursive: true, force: true });
});

const devflow = (...words: readonly string[]) => [
  process.execPath,
  "--no-env-file",
  "--preload",
  recorder,
  program.main,
  ...words,
];
const chunks = () => readFileSync(record, "utf8").split("\n");
const loaded = () => program.modulesIn(chunks());

async function run(name: Exclude<keyof typeof startPaths, "server" | "hook">) {
  rmSync(record, { force: true });
  const { code, stdout, stderr } = await runProcess(devflow(...startPaths[name].words), {
    env,
    cwd,
    timeoutMs: 60_000,
  });
  return { code, stdout, stderr, modules: loaded() };
}

describe("loads nothing that is not on its list:", () => {
  for (const name of ["version", "help"] as const) {
    test(name, async () => {
      const { code, modules } = await run(name);
      expect(code).toBe(0);
      expect(startPathFaults(startPaths[name].may, modules)).toEqual([]);
    });
  }

  test("a command that asks the server", async () => {
    const { stderr, modules } = await run("client");
    expect(stderr).toContain("No Devflow server is running");
    expect(startPathFaults(startPaths.client.may, modules)).toEqual([]);
  });

  test("a command to a browser that runs", async () => {
    const path = socketPath(home.devflowHome, cwd) ?? "";
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const answer = `${JSON.stringify({ ok: true, out: "clicked\n" })}\n`;
    const daemon = createServer((socket) => socket.once("data", () => socket.end(answer)));
    await new Promise<void>((resolve) => daemon.listen(path, resolve));
    const { stdout, modules } = await run("browseClient");
    daemon.close();
    expect(stdout).toBe("clicked\n");
    expect(modules.has("apps/cli/src/browse/quick.ts")).toBe(true);
    expect(startPathFaults(startPaths.browseClient.may, modules)).toEqual([]);
    expect(program.builtinsIn(chunks())).toEqual([]);
  });

  test("a hook of an agent", async () => {
    mkdirSync(join(files.root, "teams/local"), { recursive: true, mode: 0o700 });
    const user = { id: "0191b2c3-0000-7000-8000-000000000001", name: "Ada" };
    const teams = [{ id: "0191b2c3-0000-7000-8000-000000000002", slug: "t", name: "T" }];
    writeFileSync(join(files.root, "teams/local/membership.json"), JSON.stringify({ user, teams }));
    writeFileSync(files.machineIdFile, "box-1\n");
    const repository = temporaryFolder("repo");
    await runProcess(["git", "init", "-q", repository], { env, cwd });
    writeFileSync(join(repository, "a.ts"), "x\n");
    const stdin = JSON.stringify({
      ...{ session_id: "s", cwd: repository, tool_name: "Write", tool_input: { file_path: join(repository, "a.ts") } },
    });
    rmSync(record, { force: true });
    await runProcess(devflow(...startPaths.hook.words), { env, cwd, stdin, timeoutMs: 60_000 });
    const modules = loaded();
    expect(program.builtinsIn(chunks())).toContain("fs");
    expect(readdirSync(join(files.root, "spool/new")).length).toBe(1);
    expect(startPathFaults(startPaths.hook.may, modules)).toEqual([]);
    rmSync(files.root, { recursive: true, force: true });
  });

  test("up, sync status and down", async () => {
    const up = await run("up");
    expect(up.code).toBe(0);
    expect(startPathFaults(startPaths.up.may, up.modules)).toEqual([]);
    const status = await run("syncStatus");
    expect(status.code).toBe(0);
    expect(status.stdout).toContain("connected");
    expect(startPathFaults(startPaths.syncStatus.may, status.modules)).toEqual([]);
    const down = await run("down");
    expect(down.code).toBe(0);
    expect(startPathFaults(startPaths.down.may, down.modules)).toEqual([]);
  });

  test("the server, until up has its answer", async () => {
    rmSync(record, { force: true });
    await using daemon = startProcess(devflow(...startPaths.server.words), { env, cwd: home.path });
    while (!existsSync(files.serverFile)) await Bun.sleep(10);
    const { host, port, token } = ServerState.parse(JSON.parse(readFileSync(files.serverFile, "utf8")));
    const issued = await fetch(`http://${host}:${port}/auth/code`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
    });
    CodeIssued.parse(await issued.json());
    daemon.signal("SIGTERM");
    await daemon.ended;
    const modules = loaded();
    expect(modules.has("apps/server/src/start-server.ts")).toBe(true);
    expect(startPathFaults(startPaths.server.may, modules)).toEqual([]);
  });
});

test("a module that is not on the list is named, with one that imports it", async () => {
  const { modules } = await run("client");
  expect(startPathFaults(startPaths.version.may, modules)).toContain(
    "packages/core/src/command-line.ts, imported by apps/cli/src/run.ts",
  );
});
