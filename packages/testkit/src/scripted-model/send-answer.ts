/**
 * Sends one answer, correct or broken, as the scenario says.
 *
 * - `sendAnswer(response, answer, asked, signal)` resolves when everything was sent; `signal` is aborted when the client
 *   disconnects or the server closes, and ends every wait.
 */
import type { ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { ModelRequest } from "./model-request.ts";
import type { Answer } from "./scenario.ts";
import { errorWords, type WireAnswer, type WireFrame } from "./wire-answer.ts";
import { wireFormats } from "./wire-formats.ts";

export async function sendAnswer(
  response: ServerResponse,
  answer: Answer,
  asked: ModelRequest,
  signal: AbortSignal,
): Promise<void> {
  await wait(answer.afterMs, signal);
  if (answer.malformed === "reset") {
    response.socket?.resetAndDestroy();
    return;
  }
  const wire = wireFormats[asked.protocol].answer(answer, asked.model);
  const isSilent = !answer.text && !answer.tools;
  if (answer.hang && isSilent) {
    await hang(answer.hang.ms, signal);
  }
  if (answer.error && !answer.error.inStream) return sendError(response, answer, asked);
  if (!asked.isStreamed || answer.malformed === "invalid-json") return await sendWhole(response, answer, wire, signal);
  await sendStream(response, answer, asked, wire, signal);
}

function sendError(response: ServerResponse, answer: Answer, asked: ModelRequest): void {
  const { body } = wireFormats[asked.protocol].error(answer);
  response.writeHead(errorWords(answer).status, {
    "content-type": "application/json",
    ...answer.headers,
    ...answer.error?.headers,
  });
  response.end(JSON.stringify(body));
}

async function sendWhole(
  response: ServerResponse,
  answer: Answer,
  wire: WireAnswer,
  signal: AbortSignal,
): Promise<void> {
  if (answer.hang && (answer.text || answer.tools)) await hang(answer.hang.ms, signal);
  const text = JSON.stringify(wire.body);
  const half = text.slice(0, Math.floor(text.length / 2));
  const headers = { "content-type": "application/json", ...answer.headers };
  if (answer.malformed === "cut") {
    response.writeHead(200, { ...headers, "content-length": String(Buffer.byteLength(text)) });
    await write(response, half);
    response.destroy();
    return;
  }
  response.writeHead(200, headers);
  response.end(answer.malformed ? half : text);
}

async function sendStream(
  response: ServerResponse,
  answer: Answer,
  asked: ModelRequest,
  wire: WireAnswer,
  signal: AbortSignal,
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache", ...answer.headers });
  const spoiled = answer.malformed === "broken-sse" ? breakMiddle(wire.frames) : wire.frames;
  const isCutShort = answer.malformed === "cut" || answer.error !== undefined;
  const frames = isCutShort ? spoiled.filter(({ isClosing }) => !isClosing) : spoiled;
  let hasHung = false;
  for (const { text, afterMs, isClosing } of frames) {
    if (isClosing && answer.hang && !hasHung) {
      hasHung = true;
      await hang(answer.hang.ms, signal);
    }
    await wait(afterMs, signal);
    await write(response, text);
  }
  if (answer.error) {
    const { frame } = wireFormats[asked.protocol].error(answer);
    await write(response, frame);
  }
  if (answer.malformed === "cut") response.destroy();
  else response.end();
}

/** A frame whose JSON stops halfway; the rest is sent normally. */
function breakMiddle(frames: readonly WireFrame[]): WireFrame[] {
  const middle = Math.floor(frames.length / 2);
  return frames.map((frame, index) =>
    index === middle ? { ...frame, text: `${frame.text.slice(0, Math.floor(frame.text.length / 2))}\n\n` } : frame,
  );
}

function write(response: ServerResponse, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    response.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

async function wait(ms: number | undefined, signal: AbortSignal): Promise<void> {
  if (ms) await pause(ms, undefined, { signal });
}

/** Without a time: until the client or the server closes. */
function hang(ms: number | undefined, signal: AbortSignal): Promise<void> {
  if (ms !== undefined) return wait(ms, signal);
  return new Promise((_, reject) => {
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
