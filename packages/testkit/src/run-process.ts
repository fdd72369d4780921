/**
 * A command as a separate process, owned by the test that runs it.
 *
 * - `runProcess(argv, options)` runs it to its end and returns its output; after a timeout it is killed, with everything it
 *   started, and the promise rejects with the output so far.
 * - `startProcess(argv, options)` the same while it runs: `pid`, `kill`, `output()`, `waitForOutput`, `ended`.
 *
 * Every process leads its own group, so killing it kills its children too.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { tagged } from "./test-tag.ts";

export interface ProcessOptions {
  /** The complete environment, normally `temporaryHome().environment()`; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Its whole input. Without it, `runProcess` gives it none, and `startProcess` leaves its input open for `write`. */
  readonly stdin?: string;
  /** Default 30 s. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface ProcessResult {
  readonly code: number | null;
  /** `SIGKILL` when it was killed. */
  readonly killedBy: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  json<T = unknown>(): T;
}

export interface RunningProcess {
  readonly pid: number;
  output(): { readonly stdout: string; readonly stderr: string };
  /** Resolves with the match; rejects when the process ends first or time is up. */
  waitForOutput(pattern: RegExp, timeoutMs?: number): Promise<RegExpExecArray>;
  write(text: string): void;
  /** Signals only the process. */
  signal(name: NodeJS.Signals): void;
  /** Ends the process and everything in its group: SIGTERM, and SIGKILL after `graceMs`. */
  stop(graceMs?: number): Promise<ProcessResult>;
  readonly ended: Promise<ProcessResult>;
  /** `await using`: stopped at the end of the block, however it ends. */
  [Symbol.asyncDispose](): Promise<void>;
}

export async function runProcess(argv: readonly string[], options: ProcessOptions): Promise<ProcessResult> {
  const running = startProcess(argv, { ...options, stdin: options.stdin ?? "" });
  const timeoutMs = options.timeoutMs ?? 120_000;
  let why: string | undefined;
  const stopBecause = (reason: string) => {
    why ??= reason;
    killGroup(running.pid, "SIGKILL");
  };
  const timer = setTimeout(() => stopBecause(`took longer than ${timeoutMs} ms`), timeoutMs);
  const onAbort = () => stopBecause("was aborted");
  options.signal?.addEventListener("abort", onAbort, { once: true });
  if (options.signal?.aborted) onAbort();
  try {
    const result = await running.ended;
    if (why) throw new Error(`${argv.join(" ")} ${why} and was killed.\n${transcript(result)}`);
    return result;
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", onAbort);
  }
}

export function startProcess(argv: readonly string[], options: ProcessOptions): RunningProcess {
  const [file, ...rest] = argv;
  if (!file) throw new Error("startProcess needs the words of a command");
  const child = spawn(file, rest, {
    cwd: options.cwd,
    env: tagged(options.env),
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  });
  const pid = child.pid;
  let stdout = "";
  let stderr = "";
  const watchers = new Set<() => void>();
  const collect = (chunk: string, take: (text: string) => void) => {
    take(chunk);
    for (const watch of watchers) watch();
  };
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => collect(chunk, (text) => (stdout += text)));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => collect(chunk, (text) => (stderr += text)));
  // A process that exits without reading its input is fine.
  child.stdin.on("error", () => {});
  if (options.stdin !== undefined) child.stdin.end(options.stdin);

  const ended = endOf(child, argv, () => ({ stdout, stderr }));
  ended.catch(() => {});
  if (pid === undefined) return { ...unstarted(ended), ended };
  let hasEnded = false;
  const markEnded = () => {
    hasEnded = true;
    for (const watch of watchers) watch();
  };
  ended.then(markEnded, markEnded);
  killOnExit(pid, ended);

  async function stop(graceMs = 5000): Promise<ProcessResult> {
    killGroup(pid as number, "SIGTERM");
    const timer = setTimeout(() => killGroup(pid as number, "SIGKILL"), graceMs);
    try {
      return await ended;
    } finally {
      clearTimeout(timer);
      // Children that ignored SIGTERM, or that closed their streams and stayed.
      killGroup(pid as number, "SIGKILL");
    }
  }

  return {
    pid,
    ended,
    output: () => ({ stdout, stderr }),
    write: (text) => void child.stdin.write(text),
    signal: (name) => {
      if (!hasEnded) process.kill(pid, name);
    },
    stop,
    [Symbol.asyncDispose]: async () => void (await stop(2000)),
    waitForOutput: (pattern, timeoutMs = 120_000) =>
      new Promise((resolve, reject) => {
        const finish = () => {
          clearTimeout(timer);
          watchers.delete(look);
        };
        const look = () => {
          const match = pattern.exec(stdout) ?? pattern.exec(stderr);
          if (match) {
            finish();
            resolve(match);
          } else if (hasEnded) {
            finish();
            reject(
              new Error(`${argv.join(" ")} ended without printing ${pattern}.\n${transcript({ stdout, stderr })}`),
            );
          }
        };
        const timer = setTimeout(() => {
          finish();
          reject(
            new Error(
              `${argv.join(" ")} did not print ${pattern} in ${timeoutMs} ms.\n${transcript({ stdout, stderr })}`,
            ),
          );
        }, timeoutMs);
        watchers.add(look);
        look();
      }),
  };
}

function endOf(
  child: ChildProcess,
  argv: readonly string[],
  output: () => { stdout: string; stderr: string },
): Promise<ProcessResult> {
  return new Promise((resolve, reject) => {
    child.once("error", (cause) => reject(new Error(`${argv[0]} could not be started: ${cause.message}`, { cause })));
    child.once("close", (code, killedBy) => {
      const { stdout, stderr } = output();
      resolve({ code, killedBy, stdout, stderr, json: <T>() => parseOutput<T>(stdout, stderr) });
    });
  });
}

/** There was never a pid: everything waits for `ended`, which rejects with the reason. */
function unstarted(ended: Promise<ProcessResult>): Omit<RunningProcess, "ended"> {
  return {
    pid: 0,
    output: () => ({ stdout: "", stderr: "" }),
    waitForOutput: () => ended.then(() => Promise.reject(new Error("the process never started"))),
    write: () => {},
    signal: () => {},
    stop: () => ended,
    [Symbol.asyncDispose]: async () => {},
  };
}

/** An interrupted test run ends its processes. The leak check reports a forgotten one. */
const alive = new Set<number>();
let isWatchingExit = false;

function killOnExit(pid: number, ended: Promise<ProcessResult>): void {
  if (!isWatchingExit) {
    process.once("exit", () => {
      for (const one of alive) killGroup(one, "SIGKILL");
    });
  }
  isWatchingExit = true;
  alive.add(pid);
  const forget = () => alive.delete(pid);
  ended.then(forget, forget);
}

/** False when nothing is left to signal. */
function killGroup(pid: number, signal: NodeJS.Signals): boolean {
  if (pid <= 1) return false;
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}

export function parseOutput<T>(stdout: string, stderr: string): T {
  try {
    return JSON.parse(stdout) as T;
  } catch (cause) {
    throw new Error(`Not JSON.\n${transcript({ stdout, stderr })}`, { cause });
  }
}

function transcript({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): string {
  const last = (text: string) => (text.length > 4000 ? `…${text.slice(-4000)}` : text);
  return `stdout: ${last(stdout) || "(nothing)"}\nstderr: ${last(stderr) || "(nothing)"}`;
}
