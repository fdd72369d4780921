/**
 * A real Temporal server for tests: one process with its own database file, on a free port of the loopback interface.
 *
 * - `startTemporal(options)` starts the program that `scripts/setup.mjs` has fetched.
 * - `kill()` as by kill -9; `start()` again on the same port with the same data; `forget()` removes the data of a stopped one.
 * - `stop()` ends it for good.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "./temporary-home.ts";
import { tagged } from "./test-tag.ts";

export interface TemporalServer {
  /** The program, which is also its command line. */
  readonly program: string;
  readonly address: string;
  readonly namespace: string;
  start(): Promise<void>;
  kill(): Promise<void>;
  forget(): void;
  stop(): Promise<void>;
}

interface TemporalOptions {
  /** Created at each start; an empty list leaves only `default`. */
  readonly namespaces?: readonly string[];
  /** Further words of its command line, such as those for TLS. */
  readonly words?: readonly string[];
}

const patienceMs = 60_000;

/** Of several versions the newest. */
function temporalProgram(): string {
  const folder = fileURLToPath(new URL("../../../.cache/temporal", import.meta.url));
  const versions = existsSync(folder) ? readdirSync(folder).filter((name) => /^\d/.test(name)) : [];
  const newest = versions.toSorted((a, b) => a.localeCompare(b, "en", { numeric: true })).at(-1);
  if (newest === undefined)
    throw new Error("The Temporal server is not installed. Run: node scripts/setup.mjs --test-tools");
  return join(folder, newest, "temporal");
}

export async function startTemporal({
  namespaces = ["devflow"],
  words = [],
}: TemporalOptions = {}): Promise<TemporalServer> {
  const program = temporalProgram();
  const folder = temporaryFolder("temporal");
  const port = await freePort();
  const file = join(folder, "temporal.db");
  let child: ChildProcess | undefined;

  const start = async (): Promise<void> => {
    const given = [
      ...["server", "start-dev", "--headless", "--ip", "127.0.0.1", "--port", String(port), "--log-level", "error"],
      ...["--db-filename", file, "--sqlite-pragma", "journal_mode=WAL", "--sqlite-pragma", "synchronous=NORMAL"],
      ...namespaces.flatMap((name) => ["--namespace", name]),
      ...words,
    ];
    child = spawn(program, given, { stdio: "ignore", env: tagged({ PATH: process.env.PATH ?? "", HOME: folder }) });
    const started = child;
    for (const end = Date.now() + patienceMs; !(await answers(port)); await Bun.sleep(25)) {
      if (started.exitCode !== null || Date.now() > end) throw new Error(`Temporal does not listen on ${port}`);
    }
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ending = child;
    child = undefined;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => ending.once("exit", () => resolve()));
    ending.kill(signal);
    await ended;
  };

  await start();
  return {
    program,
    address: `127.0.0.1:${port}`,
    namespace: namespaces[0] ?? "default",
    start,
    kill: () => end("SIGKILL"),
    forget() {
      for (const suffix of ["", "-wal", "-shm"]) if (existsSync(file + suffix)) rmSync(file + suffix);
    },
    // Its own end takes seconds, and nothing of it is needed any more.
    stop: () => end("SIGKILL"),
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    }).once("error", () => resolve(false));
  });
}
