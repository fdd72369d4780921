/**
 * Runs the app under test, a command that prints JSON.
 *
 * - `runCommand(argv, options)` its output, or why there is none: it could not start, took too long, printed too much or
 *   failed. All its child processes end with it.
 */
import { spawn } from "node:child_process";

export interface CommandOptions {
  readonly cwd: string;
  /** The whole environment of the command. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: string;
  readonly timeoutMs: number;
  readonly maxBytes?: number;
  readonly signal?: AbortSignal | undefined;
  /** Reports its process, so that another process can end it if this one is killed. */
  readonly onProcess?: ((pid: number | undefined) => void) | undefined;
}

export type CommandResult =
  | { readonly stdout: string; readonly durationMs: number }
  | { readonly problem: string; readonly durationMs: number };

const usualMaxBytes = 16 * 1024 * 1024;
const keptStderr = 4_000;

export function runCommand(argv: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const { cwd, env, stdin, timeoutMs, maxBytes = usualMaxBytes, signal, onProcess } = options;
  const began = performance.now();
  const [program = "", ...rest] = argv;
  return new Promise((resolve) => {
    let problem: string | undefined;
    let stderr = "";
    let size = 0;
    const chunks: Buffer[] = [];
    const child = spawn(program, rest, {
      cwd,
      env: env as NodeJS.ProcessEnv,
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    const endGroup = () => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        // It and its children have already ended.
      }
    };
    const stop = (why: string) => {
      problem ??= why;
      endGroup();
    };
    const timer = setTimeout(() => stop(`it took longer than ${timeoutMs} ms`), timeoutMs);
    const onAbort = () => stop("it was stopped");
    signal?.addEventListener("abort", onAbort, { once: true });
    const finish = (result: { stdout: string } | { problem: string }) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      onProcess?.(undefined);
      resolve({ ...result, durationMs: Math.round(performance.now() - began) });
    };
    child.once("spawn", () => onProcess?.(child.pid));
    child.once("error", (error) => finish({ problem: `${program} could not be started: ${error.message}` }));
    // Remaining children would keep its output open.
    child.once("exit", endGroup);
    child.once("close", (code, killedBy) => {
      if (problem !== undefined) return finish({ problem });
      if (code === 0) return finish({ stdout: Buffer.concat(chunks).toString("utf8") });
      const said = stderr.trim();
      finish({
        problem: `it ${code === null ? `was killed by ${killedBy}` : `exited with ${code}`}${said ? `: ${said}` : ""}`,
      });
    });
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) stop(`it printed more than ${maxBytes} bytes`);
      else chunks.push(chunk);
    });
    child.stderr.on("data", (chunk: Buffer) => {
      stderr = (stderr + chunk.toString("utf8")).slice(-keptStderr);
    });
    // A command may close its input without reading it.
    child.stdin.on("error", () => undefined);
    child.stdin.end(stdin);
    if (signal?.aborted) onAbort();
  });
}
