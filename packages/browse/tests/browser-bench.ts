/**
 * A workspace with its own browser, driven through the same client as the command line, and a site to visit.
 *
 * - `openBrowserBench(routes)` at the top of a test file; daemon, Chromium and site end with the file.
 * - `text(...words)` what a command prints, or throws its error; `call(words)` the whole reply.
 * - `cli(...words)` the same through a real process.
 */
import { afterAll } from "bun:test";
import { mkdirSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import {
  type Build,
  type CommandReply,
  callDaemon,
  type DaemonState,
  findDaemon,
  netTransport,
  type Workspace,
  workspaceAt,
} from "@devflow/browse/client";
import { DevflowError } from "@devflow/core/errors";
import { isSameProcess } from "@devflow/core/process-proof";
import { liveProcesses } from "@devflow/core/process-table";
import { devflowCommand, type ProcessResult, runProcess, temporaryHome } from "@devflow/testkit";

export type Route = string | ((request: IncomingMessage, response: ServerResponse) => void);

export interface CallExtras {
  readonly session?: string;
  readonly json?: boolean;
  readonly token?: string;
  readonly signal?: AbortSignal;
  readonly build?: Build;
  readonly cwd?: string;
  readonly pid?: number;
  readonly patienceMs?: number;
}

export interface BrowserBench {
  readonly workspace: Workspace;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
  url(path: string, host?: string): string;
  call(words: readonly string[], extras?: CallExtras): Promise<CommandReply>;
  text(...words: string[]): Promise<string>;
  json<T>(...words: string[]): Promise<T>;
  cli(
    words: readonly string[],
    options?: { env?: Record<string, string>; cwd?: string; stdin?: string },
  ): Promise<ProcessResult>;
  daemon(): DaemonState;
  stop(): Promise<void>;
}

const oldBuild: Build = { version: "0.0.1", executable: "", executableTime: 0 };

export async function openBrowserBench(routes: Readonly<Record<string, Route>> = {}): Promise<BrowserBench> {
  const home = temporaryHome({ isKept: true });
  const root = join(home.path, "work");
  mkdirSync(join(root, ".git"), { recursive: true });
  const workspace = workspaceAt(root);
  const own = join(home.devflowHome, "tmp", "own");
  const env = home.environment({ DEVFLOW_BROWSE_SANDBOX: "off" });
  const site = createServer((request, response) => serve(routes, request, response));
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  const { port } = site.address() as AddressInfo;
  const seen = new Map<number, DaemonState>();

  const start = {
    argv: [...devflowCommand(), "browse-daemon", "--temp", home.path, "--own-temp", own],
    env: { ...env, TMPDIR: own },
    cwd: home.devflowHome,
  };
  const bench: BrowserBench = {
    workspace,
    home: home.path,
    env,
    port,
    url: (path, host = "127.0.0.1") => `http://${host}:${port}${path}`,
    async call(words, extras = {}) {
      const request = {
        words,
        json: extras.json ?? false,
        debug: false,
        cwd: extras.cwd ?? root,
        pid: extras.pid ?? process.pid,
        ...(extras.session === undefined ? {} : { session: extras.session }),
      };
      const reply = await callDaemon(request, {
        workspace,
        transport: netTransport,
        start,
        build: extras.build ?? oldBuild,
        ...(extras.token === undefined ? {} : { token: extras.token }),
        ...(extras.patienceMs === undefined ? {} : { patienceMs: extras.patienceMs }),
        ...(extras.signal ? { signal: extras.signal } : {}),
      });
      const state = findDaemon(workspace);
      if (state) seen.set(state.pid, state);
      return reply;
    },
    async text(...words) {
      const reply = await bench.call(words);
      if (!reply.ok) throw new DevflowError(reply.error);
      return reply.out;
    },
    async json<T>(...words: string[]) {
      const reply = await bench.call(words, { json: true });
      if (!reply.ok) throw new DevflowError(reply.error);
      return JSON.parse(reply.out) as T;
    },
    cli: (words, options = {}) =>
      runProcess([...devflowCommand(), "browse", ...words], {
        env: { ...env, ...options.env },
        cwd: options.cwd ?? root,
        timeoutMs: 120_000,
        ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
      }),
    daemon() {
      const state = findDaemon(workspace);
      if (!state) throw new Error("no daemon runs");
      seen.set(state.pid, state);
      return state;
    },
    async stop() {
      const state = findDaemon(workspace);
      if (!state) return;
      await bench.call(["stop"]);
      await until("the daemon has ended", () => !isSameProcess(state));
    },
  };
  afterAll(async () => {
    await until("no process of the browser is left", async () => {
      // A daemon that was still starting can be found a little later.
      await bench.stop().catch(() => {});
      return processesNaming(home.path).length === 0;
    });
    site.closeAllConnections();
    await new Promise((resolve) => site.close(resolve));
    home.remove();
  }, 120_000);
  return bench;
}

function serve(routes: Readonly<Record<string, Route>>, request: IncomingMessage, response: ServerResponse): void {
  const route = routes[new URL(request.url ?? "/", "http://site").pathname];
  response.setHeader("content-type", "text/html; charset=utf-8");
  if (typeof route === "function") {
    route(request, response);
    return;
  }
  if (route === undefined) response.statusCode = 404;
  response.end(route ?? "<title>Nothing here</title>");
}

/** Waits for a condition; the limit is generous, since machines differ. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, limitMs = 60_000): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`Timed out waiting until: ${what}`);
    await Bun.sleep(20);
  }
}

/** Live processes whose command line contains this folder: the daemon, Chromium with its profile. */
export function processesNaming(folder: string): { pid: number; command: string }[] {
  return liveProcesses()
    .map(({ pid, argv }) => ({ pid, command: argv.join(" ") }))
    .filter(({ pid, command }) => pid !== process.pid && command.includes(folder));
}

export async function failureOf(
  reply: Promise<CommandReply>,
): Promise<{ code: string; message: string; hint: string }> {
  const { ok, ...rest } = await reply;
  if (ok) throw new Error(`It did not fail: ${JSON.stringify(rest)}`);
  const { code, message, hint } = (rest as Extract<CommandReply, { ok: false }>).error;
  return { code, message, hint };
}
