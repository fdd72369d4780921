/**
 * A real server for a benchmark: the compiled executable with its own home, with production durability (fsync on).
 *
 * - `prepareServer(context)` → `up()`, `down()`, and what is needed to call it; `remove()` deletes everything.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { homeAt } from "@devflow/core/home";
import { postgresPlaces } from "@devflow/db";
import { ServerState } from "@devflow/protocol";
import { freshExecutable } from "../scripts/build/executable.ts";
import type { BenchmarkContext } from "./benchmark.ts";

export interface LocalServer {
  readonly home: string;
  readonly postgresFolder: string;
  /** Milliseconds until `devflow up -d` has ended. */
  up(): number;
  down(): void;
  /** Milliseconds that a command takes; one that fails is an error. */
  run(...words: string[]): number;
  state(): ServerState;
  request(path: string, body?: unknown): Promise<Response>;
  remove(): void;
}

/** `more`: variables besides those of an unconfigured machine. */
export async function prepareServer(
  { root }: Pick<BenchmarkContext, "root">,
  more: Readonly<Record<string, string>> = {},
): Promise<LocalServer> {
  const executable = await freshExecutable(root);
  const parent = mkdtempSync(join(tmpdir(), "dfb-"));
  const home = join(parent, ".devflow");
  const { postgresFolder, serverFile } = homeAt(home);
  const env = { PATH: process.env.PATH ?? "", HOME: parent, ...more, DEVFLOW_HOME: home, DEVFLOW_PORT: "0" };
  const run = (...words: string[]) => {
    const started = Bun.nanoseconds();
    const { exitCode, stderr } = Bun.spawnSync([executable, ...words], { env, cwd: parent, stdin: "ignore" });
    if (exitCode !== 0) throw new Error(`devflow ${words.join(" ")} exited with ${exitCode}: ${stderr}`);
    return (Bun.nanoseconds() - started) / 1e6;
  };
  // Read once per start, so that the benchmark of a call does not measure reading a file.
  let running: ServerState | undefined;
  const state = () => {
    running ??= ServerState.parse(JSON.parse(readFileSync(serverFile, "utf8")));
    return running;
  };
  return {
    home,
    postgresFolder,
    up: () => {
      running = undefined;
      return run("up", "-d");
    },
    down: () => void run("down"),
    run,
    state,
    request: (path, body) => {
      const { host, port, token } = state();
      return fetch(`http://${host}:${port}${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "content-profile": "api" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    },
    remove: () => {
      run("down");
      const { base, socket } = postgresPlaces(postgresFolder);
      for (const folder of [parent, base, socket]) rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function callFunction<T>(server: LocalServer, name: string, given: unknown): Promise<T> {
  const answer = await server.request(`/rest/v1/rpc/${name}`, given);
  if (!answer.ok) throw new Error(`${name} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as T;
}
