import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { callDaemon, findDaemon, netTransport, workspaceAt } from "@devflow/browse/client";
import { runBrowseDaemon } from "@devflow/browse/daemon";
import { searchPath } from "@devflow/core/config";
import { temporaryHome } from "@devflow/testkit";
import { until } from "./browser-bench.ts";

const idleSeconds = 3;

test("an idle browser ends with everything it started; the next one says so and has its tabs and log-ins", async () => {
  const home = temporaryHome();
  const root = join(home.path, "work");
  const own = join(home.devflowHome, "tmp");
  for (const folder of [join(root, ".git"), own]) mkdirSync(folder, { recursive: true });
  const workspace = workspaceAt(root);
  const build = { version: "0.0.1", executable: "", executableTime: 0 };
  const env = home.environment();
  const site = createServer((_, response) => response.end("<!doctype html><title>Account</title><h1>Account</h1>"));
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/account`;
  const stop = new AbortController();
  const start = (idleMinutes: number) =>
    runBrowseDaemon({
      workspace,
      build,
      settings: { chromium: undefined, sandbox: "auto", idleMinutes, allowHosts: [] },
      env,
      home: home.devflowHome,
      searchFolders: searchPath(env),
      tempFolders: [],
      ownTemp: own,
      handover: "",
      // Without a socket in the home clients use HTTP.
      listen: () => undefined,
      signal: stop.signal,
    });
  const call = async (...words: string[]) => {
    await until("it can be found", () => findDaemon(workspace) !== undefined);
    const reply = await callDaemon(
      { words, json: false, debug: false, cwd: root, pid: process.pid },
      { workspace, transport: netTransport, build, start: { argv: ["false"], env, cwd: root } },
    );
    return { out: reply.ok ? reply.out : reply.error.message, notes: reply.notes?.join() ?? "" };
  };

  const first = start(idleSeconds / 60);
  await call("goto", url);
  await call("js", "document.cookie = 'login=s3cr3t-value-42; max-age=999'; localStorage.theme = 'dark'");
  // Longer than the idle limit: the browser must not end during the command.
  const script = `new Promise((done) => setTimeout(() => done("still here"), ${idleSeconds * 1_500}))`;
  expect((await call("js", script)).out).toContain("still here");
  expect(await first).toBe(true);
  expect(findDaemon(workspace)).toBeUndefined();
  const kept = join(workspace.browseFolder, "idle.state");
  expect(statSync(kept).mode & 0o777).toBe(0o600);
  expect(readFileSync(kept, "utf8")).not.toContain("s3cr3t");

  const second = start(30);
  const back = await call("js", "[location.pathname, document.cookie, localStorage.theme]");
  expect(back.out).toContain('["/account","login=s3cr3t-value-42","dark"]');
  expect(back.notes).toStartWith(`The browser ended after ${idleSeconds / 60} idle minutes; its tab was reopened.`);
  expect(back.notes).not.toContain("Lost: cookies");
  expect(existsSync(kept)).toBe(false);
  await call("goto", url, "--fresh");
  expect((await call("js", "[document.cookie, localStorage.length]")).out).toContain('["",0]');
  stop.abort();
  expect(await second).toBe(true);
  await new Promise((resolve) => site.close(resolve));
  // Leftover processes and ports are checked after every test file.
}, 120_000);
