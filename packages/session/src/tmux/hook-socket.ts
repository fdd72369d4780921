/**
 * The holder's end of an agent's hooks: a Unix socket that only this user can open.
 *
 * - `listenForHooks(path, onHook)` each hook sends one question and gets one answer; an empty one lets the agent go on.
 *   `close` leaves open questions without an answer.
 */
import { chmodSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";

export interface Hook {
  /** The same when a hook asks again after its holder died. */
  readonly id: string;
  readonly event: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The first answer counts. */
  answer(output?: object): void;
  /** Called when the agent no longer waits; not after an answer. */
  onGone(listener: () => void): void;
}

/** A prompt of 200 KB is far below it. */
const mostBytes = 64 * 1024 * 1024;

export async function listenForHooks(path: string, onHook: (hook: Hook) => void): Promise<{ close(): void }> {
  rmSync(path, { force: true });
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => undefined);
    readQuestion(socket, onHook);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
  return {
    close() {
      server.close();
      for (const socket of open) socket.destroy();
      rmSync(path, { force: true });
    },
  };
}

function readQuestion(socket: Socket, onHook: (hook: Hook) => void): void {
  let text = "";
  let isAsked = false;
  socket.setEncoding("utf8");
  socket.on("data", (chunk: string) => {
    text += chunk;
    if (text.length > mostBytes) socket.destroy();
    if (isAsked || !text.endsWith("\n")) return;
    isAsked = true;
    const hook = parsed(text, socket);
    if (hook) onHook(hook);
    else socket.end("\n");
  });
}

function parsed(text: string, socket: Socket): Hook | undefined {
  let isAnswered = false;
  try {
    const { id, input: inner } = JSON.parse(text) as { id: string; input: string };
    const input = JSON.parse(inner) as Record<string, unknown>;
    return {
      id,
      event: String(input.hook_event_name),
      input,
      answer(output) {
        if (isAnswered) return;
        isAnswered = true;
        socket.end(`${output === undefined ? "" : JSON.stringify(output)}\n`);
      },
      onGone: (listener) =>
        void socket.on("close", () => {
          if (!isAnswered) listener();
        }),
    };
  } catch {
    return undefined;
  }
}
