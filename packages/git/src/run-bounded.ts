/**
 * One child process, owned: bounded output, ended with everything it started when the signal fires.
 *
 * - `runBounded(program, args, options)` waits for the end; rejects with the signal's reason, or when it cannot start.
 */
import { spawn } from "node:child_process";

export interface RunBoundedOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly maxOutput: number;
  readonly input?: string | Uint8Array;
  readonly signal?: AbortSignal;
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

export function runBounded(program: string, args: readonly string[], options: RunBoundedOptions) {
  const { signal } = options;
  return new Promise<ProcessResult>((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    // A group of its own: helpers of the program end with it, and it has no terminal to ask anything on.
    const child = spawn(program, args, { cwd: options.cwd, env: options.env, detached: true });
    const endGroup = () => {
      try {
        if (child.pid) process.kill(-child.pid, "SIGKILL");
      } catch {
        // It is gone already.
      }
    };
    signal?.addEventListener("abort", endGroup, { once: true });

    const output: Buffer[] = [];
    let size = 0;
    let overflow = false;
    child.stdout.on("data", (chunk: Buffer) => {
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
      signal?.removeEventListener("abort", endGroup);
      reject(error);
    });
    child.on("close", (code, endedBy) => {
      signal?.removeEventListener("abort", endGroup);
      if (signal?.aborted) return reject(signal.reason);
      const exit = code ?? -1;
      resolve({ stdout: Buffer.concat(output), stderr, exit: overflow ? -1 : exit, signal: endedBy, overflow });
    });
    // A program that does not read its input closes the pipe; that is no failure of ours.
    child.stdin.on("error", () => {});
    child.stdin.end(options.input);
  });
}
