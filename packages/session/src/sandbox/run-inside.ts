/**
 * The first program in the sandbox: opens the ports that lead to the holder, then starts the agent, and ends with it.
 *
 * - `runInside(forwards, command)` the agent's exit code. It gets this process's own streams, terminal included.
 */
import { spawn } from "node:child_process";
import { connect, createServer } from "node:net";
import { constants } from "node:os";
import type { Forward } from "./forwarder.ts";

export async function runInside(forwards: readonly Forward[], command: readonly string[]): Promise<number> {
  for (const { port, socket } of forwards) await open(port, socket);
  const [program = "", ...words] = command;
  const child = spawn(program, words, { stdio: "inherit" });
  // The agent decides what a key or a request to end means.
  process.on("SIGINT", () => undefined);
  process.on("SIGHUP", () => undefined);
  process.on("SIGTERM", () => void child.kill("SIGTERM"));
  return await new Promise((resolve) => {
    child.once("error", (error) => {
      process.stderr.write(`${program}: ${error.message}\n`);
      resolve(127);
    });
    child.once("exit", (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}

async function open(port: number, socket: string): Promise<void> {
  const server = createServer((client) => {
    const upstream = connect(socket);
    client.pipe(upstream).pipe(client);
    client.on("error", () => upstream.destroy());
    client.on("close", () => upstream.destroy());
    upstream.on("error", () => client.destroy());
    upstream.on("close", () => client.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  server.unref();
}
