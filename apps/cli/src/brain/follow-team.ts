/**
 * The team's changes as they happen, by `/sse/team`. A broken connection is opened again after the last seq.
 *
 * - `followTeam(ports, to)` each change; `undefined` when something may have been missed: whenever the stream was opened, since
 *   nobody tells what happened before. Ends with the signal.
 */
import { systemClock } from "@devflow/core/clock";
import type { Environment } from "@devflow/core/config";
import type { Home } from "@devflow/core/home";
import { Change } from "@devflow/protocol";
import type { Destination } from "@devflow/team/spool";
import { tokenFor } from "../sync/connection.ts";

const retryMs = 1_000;

export async function* followTeam(
  { home, env, signal }: { readonly home: Home; readonly env: Environment; readonly signal: AbortSignal },
  { server, team, user }: Destination,
): AsyncGenerator<Change | undefined> {
  let last: string | undefined;
  while (!signal.aborted) {
    const connection = await tokenFor(home, env)(server, user);
    if (!("waiting" in connection)) {
      try {
        const response = await fetch(`${connection.url}/sse/team/${team}`, {
          headers: {
            authorization: `Bearer ${connection.token.reveal()}`,
            ...(last === undefined ? {} : { "last-event-id": last }),
          },
          redirect: "error",
          signal,
        });
        if (response.ok) yield undefined;
        for await (const { event, data, id } of framesOf(response)) {
          last = id ?? last;
          const change = event === "change" ? Change.safeParse(data).data : undefined;
          if (change) yield change;
        }
      } catch {
        // The server went away; it is tried again below.
      }
    }
    await systemClock.sleep(retryMs, signal).catch(() => undefined);
  }
}

async function* framesOf(response: Response): AsyncGenerator<{ event: string; data: unknown; id: string | undefined }> {
  if (!response.ok || !response.body) return;
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of response.body as ReadableStream<Uint8Array>) {
    text += decoder.decode(bytes, { stream: true });
    const parts = text.split("\n\n");
    text = parts.pop() ?? "";
    for (const part of parts) {
      const event = /^event: (.*)$/m.exec(part)?.[1];
      const data = /^data: (.*)$/m.exec(part)?.[1];
      if (event && data) yield { event, data: JSON.parse(data), id: /^id: (.*)$/m.exec(part)?.[1] };
    }
  }
}
