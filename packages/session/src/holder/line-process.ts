/**
 * An agent's process that speaks in lines of JSON: one object per line, both ways.
 *
 * - `startLineProcess` starts it as the leader of a process group, so that its children end with it.
 * - `send` writes an object; `onLine` gets each parsed one; lines that are not JSON go to `onNoise`.
 * - `end` closes its input, waits, then ends the whole group.
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { killGroup } from "./agent-file.ts";

export interface LineProcess {
  readonly pid: number;
  send(message: object): void;
  end(): Promise<void>;
}

interface LineProcessOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  onLine(message: Record<string, unknown>): void;
  /** Standard error, and lines of standard output that are not JSON. */
  onNoise(line: string): void;
  /** Only when nobody asked it to end. */
  onExit(reason: string): void;
}

/** An agent needs a moment to store its session. */
const graceMs = 2_000;

export async function startLineProcess(options: LineProcessOptions): Promise<LineProcess> {
  const { command, cwd, env, onLine, onNoise, onExit } = options;
  const [program = "", ...words] = command;
  const child = spawn(program, words, { cwd, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
  const pid = child.pid as number;
  const noise: string[] = [];
  let isEnding = false;
  createInterface({ input: child.stderr }).on("line", (line) => {
    noise.push(line);
    if (noise.length > 20) noise.shift();
    onNoise(line);
  });
  const output = createInterface({ input: child.stdout });
  output.on("line", (line) => {
    const message = parsed(line);
    if (message) onLine(message);
    else if (line.trim() !== "") onNoise(line);
  });
  // An agent that is gone cannot be written to; its exit is reported by itself.
  child.stdin.on("error", () => undefined);
  const exited = new Promise<void>((resolve) => {
    // A wrapper may die before its own child, which would hold the pipes open.
    child.once("exit", () => killGroup(pid));
    child.once("close", (code, signal) => {
      if (!isEnding) onExit(exitReason(code, signal, noise));
      resolve();
    });
  });
  return {
    pid,
    send: (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    async end() {
      isEnding = true;
      child.stdin.end();
      const timer = setTimeout(() => killGroup(pid), graceMs);
      await exited;
      clearTimeout(timer);
    },
  };
}

function exitReason(code: number | null, signal: NodeJS.Signals | null, noise: readonly string[]): string {
  const how = signal ? `was ended by ${signal}` : `exited with code ${code}`;
  const said = noise.join("\n").trim();
  return said === "" ? `it ${how}` : `it ${how}: ${said}`;
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
