/**
 * The live stream of a run for the terminal.
 *
 * - `followRun(client, runId, context)` its frames. A broken connection is resumed after the last seq, even if the server was
 *   restarted meanwhile and listens elsewhere.
 * - `withTicks(frames, everyMs)` the same frames, and undefined whenever none came for so long.
 */
import { systemClock } from "@devflow/core/clock";
import type { CommandContext } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { homeAt } from "@devflow/core/home";
import type { RunStreamEvent } from "@devflow/protocol";
import { findServer } from "../server/state.ts";
import { type RunsClient, runsClient } from "./runs-client.ts";

export interface StreamFrame {
  readonly event: RunStreamEvent;
  readonly data: Record<string, unknown>;
}

const retryMs = 500;
const patienceMs = 60_000;

export async function* followRun(
  client: RunsClient,
  runId: string,
  { config, env, signal }: Pick<CommandContext, "config" | "env" | "signal">,
): AsyncGenerator<StreamFrame> {
  const home = homeAt(config().home);
  let last = 0;
  let at = client;
  let brokenSince: number | undefined;
  while (!signal.aborted) {
    try {
      const headers = { "last-event-id": String(last) };
      const response = await at.stream(`/sse/runs/${runId}`, { headers, signal });
      brokenSince = undefined;
      for await (const { id, ...frame } of framesOf(response)) {
        last = id ?? last;
        yield frame;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof DevflowError && error.code === "not_found") throw error;
      brokenSince ??= Date.now();
      if (Date.now() - brokenSince > patienceMs) throw error;
    }
    await systemClock.sleep(retryMs, signal).catch(() => undefined);
    const found = signal.aborted ? undefined : await findServer(home);
    if (found) at = runsClient(found, env);
  }
}

export async function* withTicks<T>(frames: AsyncGenerator<T>, everyMs: number): AsyncGenerator<T | undefined> {
  let next = frames.next();
  try {
    for (;;) {
      const tick = Promise.withResolvers<undefined>();
      const timer = setTimeout(tick.resolve, everyMs);
      const one = await Promise.race([next, tick.promise]).finally(() => clearTimeout(timer));
      if (one?.done) return;
      if (one) next = frames.next();
      yield one?.value;
    }
  } finally {
    // Waits for the frame that was asked for, and that one for the end of the stream.
    void frames.return(undefined).catch(() => undefined);
  }
}

async function* framesOf(response: Response): AsyncGenerator<StreamFrame & { id: number | undefined }> {
  if (!response.body) return;
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of response.body as ReadableStream<Uint8Array>) {
    text += decoder.decode(bytes, { stream: true });
    const parts = text.split("\n\n");
    text = parts.pop() ?? "";
    for (const part of parts) {
      const event = /^event: (.*)$/m.exec(part)?.[1] as RunStreamEvent | undefined;
      const data = /^data: (.*)$/m.exec(part)?.[1];
      const id = /^id: (\d+)$/m.exec(part)?.[1];
      if (event && data) yield { event, data: JSON.parse(data), id: id === undefined ? undefined : Number(id) };
    }
  }
}
