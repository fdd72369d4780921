/**
 * The agents without Devflow: each a process that stays, driven through its pipes like Devflow drives it.
 *
 * - `bareClaude(agents)`, `bareCodex(agents)` → `turn(path)` milliseconds from the message to the end of the turn in which the
 *   agent writes this file.
 */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { askedFor, type BenchAgents } from "./agent-bench.ts";

export interface BareAgent {
  turn(): Promise<number>;
  end(): Promise<void>;
}

type Message = Readonly<Record<string, unknown>>;

export async function bareClaude({ installed, env }: BenchAgents): Promise<BareAgent> {
  const words = ["-p", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json"];
  return await bare(
    installed.claude.executable,
    (folder) => [...words, "--permission-mode", "acceptEdits", "--add-dir", folder],
    env,
    {
      send: ({ write, next }, text) => {
        write({
          type: "user",
          message: { role: "user", content: [{ type: "text", text }] },
          parent_tool_use_id: null,
          session_id: "",
        });
        return next((message) => message.type === "result");
      },
    },
  );
}

export async function bareCodex({ installed, env }: BenchAgents): Promise<BareAgent> {
  let requests = 0;
  const request = async ({ write, next }: Pipes, method: string, params: object): Promise<Message> => {
    const id = ++requests;
    const answer = next((message) => message.id === id && message.method === undefined);
    write({ id, method, params });
    return (await answer).result as Message;
  };
  let threadId = "";
  return await bare(installed.codex.executable, () => ["app-server"], env, {
    async open(pipes, folder) {
      await request(pipes, "initialize", {
        clientInfo: { name: "bench", title: null, version: "1" },
        capabilities: null,
      });
      pipes.write({ method: "initialized" });
      const { thread } = await request(pipes, "thread/start", {
        ...{ cwd: folder, approvalPolicy: "never", sandbox: "workspace-write" },
      });
      threadId = (thread as { id: string }).id;
    },
    async send(pipes, text) {
      const ended = pipes.next((message) => message.method === "turn/completed");
      await request(pipes, "turn/start", { threadId, input: [{ type: "text", text }] });
      return await ended;
    },
  });
}

interface Pipes {
  write(message: object): void;
  /** The next message that fits. */
  next(fits: (message: Message) => boolean): Promise<Message>;
}

interface Speech {
  open?(pipes: Pipes, folder: string): Promise<void>;
  send(pipes: Pipes, text: string): Promise<unknown>;
}

async function bare(
  program: string,
  words: (folder: string) => readonly string[],
  env: Readonly<Record<string, string>>,
  speech: Speech,
): Promise<BareAgent> {
  const folder = mkdtempSync(join(tmpdir(), "dfa-"));
  const child: ChildProcessWithoutNullStreams = spawn(program, words(folder), { cwd: folder, env, stdio: "pipe" });
  const waiting = new Set<(message: Message) => void>();
  child.stderr.resume();
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (!line.startsWith("{")) return;
    const message = JSON.parse(line) as Message;
    for (const listen of waiting) listen(message);
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const gone = exited.then(() => Promise.reject(new Error(`${program} is gone`)));
  gone.catch(() => undefined);
  const pipes: Pipes = {
    write: (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    next: (fits) =>
      Promise.race([
        gone,
        new Promise<Message>((resolve) => {
          const listen = (message: Message) => {
            if (!fits(message)) return;
            waiting.delete(listen);
            resolve(message);
          };
          waiting.add(listen);
        }),
      ]),
  };
  await speech.open?.(pipes, folder);
  let turns = 0;
  return {
    async turn() {
      turns += 1;
      const path = join(folder, `plan-${turns}.json`);
      const started = Bun.nanoseconds();
      await speech.send(pipes, askedFor(path));
      const took = (Bun.nanoseconds() - started) / 1e6;
      if (!(await Bun.file(path).exists())) throw new Error(`${program} did not write its file`);
      return took;
    },
    async end() {
      child.kill("SIGKILL");
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
