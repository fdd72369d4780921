import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { callDaemon, findDaemon, netTransport, workspaceAt } from "@devflow/browse/client";
import { runBrowseDaemon } from "@devflow/browse/daemon";
import { searchPath } from "@devflow/core/config";
import { temporaryHome } from "@devflow/testkit";
import { until } from "./browser-bench.ts";

const idleSeconds = 3;

test("an idle browser ends with everything it started; a long command does not count as idle", async () => {
  const home = temporaryHome();
  const root = join(home.path, "work");
  const own = join(home.devflowHome, "tmp");
  for (const folder of [join(root, ".git"), own]) mkdirSync(folder, { recursive: true });
  const workspace = workspaceAt(root);
  const build = { version: "0.0.1", executable: "", executableTime: 0 };
  const env = home.environment();
  const running = runBrowseDaemon({
    workspace,
    build,
    settings: { chromium: undefined, sandbox: "auto", idleMinutes: idleSeconds / 60, allowHosts: [] },
    env,
    home: home.devflowHome,
    searchFolders: searchPath(env),
    tempFolders: [],
    ownTemp: own,
    handover: "",
    signal: new AbortController().signal,
  });
  await until("it can be found", () => findDaemon(workspace) !== undefined);
  // Longer than the idle limit: the browser must not end during the command.
  const script = `new Promise((done) => setTimeout(() => done("still here"), ${idleSeconds * 1_500}))`;
  const reply = await callDaemon(
    { words: ["js", script], json: false, debug: false, cwd: root, pid: process.pid },
    { workspace, transport: netTransport, build, start: { argv: ["false"], env, cwd: root } },
  );
  expect(reply.ok && reply.out).toContain("still here");
  expect(await running).toBe(true);
  expect(findDaemon(workspace)).toBeUndefined();
  // Leftover processes and ports are checked after every test file.
}, 120_000);
