/**
 * Runs one child process: bounded output, ended with everything it started when the signal fires.
 *
 * - `runBounded(program, args, options)` waits for the end; rejects with the signal's reason, or when it cannot start.
 *
 * The end is that of the program. Somebody else may still hold its output open, such as the daemon of git's credential cache or a
 * process that was started at the same moment; nobody waits for those.
 */
import { spawn } from "node:child_process";

export interface RunBoundedOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly maxOutput: number;
  readonly input?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** Takes the output as it comes, instead of collecting it; then there is no limit. If it throws, the program is ended. */
  readonly onOutput?: (chunk: Buffer) => void;
}

export interface ProcessResult {
  readonly stdout: Buffer;
  /** The first 64 kB of it. */
  readonly stderr: string;
  /** -1 when a signal ended it. */
  readonly exit: number;
  readonly signal: NodeJS.Signals | null;
  readonly overflow: boolean;
}

const maxErrorOutput = 64 * 1024;
const graceMs = 2000;
/** After the program has ended its output is read until it is closed, or until nothing has come for this long. */
const lastOutputMs = 1000;

export function runBounded(program: string, args: readonly string[], options: RunBoundedOptions) {
  const { signal } = options;
  return new Promise<ProcessResult>((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    // Its own process group: helpers end with it, and it has no terminal to prompt on.
    const child = spawn(program, args, { cwd: options.cwd, env: options.env, detached: true });
    let lastResort: NodeJS.Timeout | undefined;
    const endGroup = () => {
      // SIGTERM first: git then removes its lock files, while a killed git would leave the repository locked.
      signalGroup(child.pid, "SIGTERM");
      lastResort ??= setTimeout(() => signalGroup(child.pid, "SIGKILL"), graceMs);
    };
    let ended: { readonly code: number | null; readonly endedBy: NodeJS.Signals | null } | undefined;
    let quiet: NodeJS.Timeout | undefined;
    const settle = () => {
      clearTimeout(lastResort);
      clearTimeout(quiet);
      signal?.removeEventListener("abort", endGroup);
    };
    const untilQuiet = () => {
      if (!ended) return;
      clearTimeout(quiet);
      quiet = setTimeout(() => {
        // It was told to end with everything that it started.
        if (lastResort) signalGroup(child.pid, "SIGKILL");
        finish();
      }, lastOutputMs);
    };
    signal?.addEventListener("abort", endGroup, { once: true });

    const output: Buffer[] = [];
    let size = 0;
    let overflow = false;
    let failure: { readonly error: unknown } | undefined;
    child.stdout.on("data", (chunk: Buffer) => {
      untilQuiet();
      if (options.onOutput) {
        if (failure) return;
        try {
          return options.onOutput(chunk);
        } catch (error) {
          failure = { error };
          return endGroup();
        }
      }
      size += chunk.length;
      if (size <= options.maxOutput) return void output.push(chunk);
      overflow = true;
      endGroup();
    });
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => {
      if (stderr.length < maxErrorOutput) stderr += chunk.toString("utf8");
    });
    child.on("error", (error) => {
      settle();
      reject(error);
    });
    const finish = () => {
      settle();
      for (const stream of [child.stdout, child.stderr]) stream.destroy();
      if (signal?.aborted) return reject(signal.reason);
      if (failure) return reject(failure.error);
      const { code, endedBy } = ended ?? { code: null, endedBy: null };
      const exit = overflow ? -1 : (code ?? -1);
      resolve({ stdout: Buffer.concat(output), stderr, exit, signal: endedBy, overflow });
    };
    child.on("exit", (code, endedBy) => {
      ended = { code, endedBy };
      untilQuiet();
    });
    child.on("close", (code, endedBy) => {
      ended ??= { code, endedBy };
      finish();
    });
    // A program that does not read its input closes the pipe; that is not a failure.
    child.stdin.on("error", () => {});
    child.stdin.end(options.input);
  });
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid) process.kill(-pid, signal);
  } catch {
    // It has already exited.
  }
}
