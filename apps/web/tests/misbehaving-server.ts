/**
 * For tests: a loopback server whose streams do what a sound server never does (skip, repeat, fall silent, break off).
 * Each stream request is answered by the next step of the script.
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface StreamStep {
  readonly status?: number;
  readonly frames?: string;
  /** `end` closes properly, `break` cuts the connection, `hold` keeps it open. */
  readonly after?: "end" | "break" | "hold";
}

export async function startMisbehavingServer(
  script: readonly StreamStep[],
  answers: Record<string, (body: never) => unknown> = {},
) {
  const lastEventIds: (string | undefined)[] = [];
  const open = new Set<ServerResponse>();
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request) text += piece;
    const answer = answers[request.url ?? ""];
    if (answer) {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(answer(JSON.parse(text || "{}") as never)));
      return;
    }
    const step = script[lastEventIds.length] ?? { after: "hold" };
    lastEventIds.push(request.headers["last-event-id"] as string | undefined);
    response.writeHead(step.status ?? 200, { "content-type": "text/event-stream" });
    response.write(step.frames ?? ": open\n\n");
    open.add(response);
    response.on("close", () => open.delete(response));
    if (step.after === "end" || (step.status ?? 200) >= 400) response.end();
    else if (step.after === "break") setTimeout(() => response.destroy(), 20);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lastEventIds,
    send: (frames: string) => {
      for (const response of open) response.write(frames);
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

export const frame = (event: string, data: unknown): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Waits until the statement holds, and names it when it never does. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
