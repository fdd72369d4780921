/**
 * The program that an agent in a terminal runs for each of its hooks: it passes the hook's input to the session's holder
 * and prints the answer. Only built-ins are imported, because it runs many times in a turn.
 *
 * - `runHook(socket, streams)` without a holder it returns at once and prints nothing: the agent goes on.
 *
 * A request for a permission waits for a person. If the holder dies meanwhile, its successor is waited for and asked again
 * under the same id.
 */
import { randomUUID } from "node:crypto";
import { createConnection } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

interface HookStreams {
  readonly input: AsyncIterable<Uint8Array>;
  print(answer: string): void;
}

/** A new holder is there within seconds. */
const successorTries = 60;
const successorEveryMs = 500;

export async function runHook(socket: string, { input, print }: HookStreams): Promise<void> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of input) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString("utf8");
  const question = `${JSON.stringify({ id: randomUUID(), input: text })}\n`;
  const isPermission = /"hook_event_name"\s*:\s*"PermissionRequest"/.test(text);
  let answer = await ask(socket, question);
  for (let tries = 0; answer === "lost" && isPermission && tries < successorTries; tries++) {
    await pause(successorEveryMs);
    const again = await ask(socket, question);
    if (again !== "unreachable") answer = again;
  }
  if (typeof answer === "object" && answer.text !== "") print(answer.text);
}

/** `lost`: the holder had the question and is gone. */
function ask(socket: string, question: string): Promise<{ readonly text: string } | "lost" | "unreachable"> {
  return new Promise((resolve) => {
    let isConnected = false;
    let answer = "";
    const connection = createConnection(socket, () => {
      isConnected = true;
      connection.write(question);
    });
    connection.setEncoding("utf8");
    connection.on("data", (chunk: string) => {
      answer += chunk;
    });
    // An error is followed by a close.
    connection.on("error", () => undefined);
    connection.on("close", () => {
      if (answer.endsWith("\n")) resolve({ text: answer.slice(0, -1) });
      else resolve(isConnected ? "lost" : "unreachable");
    });
  });
}
