/**
 * A server that behaves as the real one never would: it lies, hangs up, answers nonsense. Only for that; everything else is tested
 * against the real one.
 *
 * - `startFalseServer(answer)` on a free port; `answer` gets each call and writes the response. `calls` is what it was sent.
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface FalseCall {
  readonly name: string;
  readonly ids: readonly string[];
  readonly authorization: string;
  readonly sentAt: string | undefined;
}

export interface FalseServer {
  readonly url: string;
  readonly calls: FalseCall[];
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startFalseServer(
  answer: (call: FalseCall, response: ServerResponse, before: number) => void,
): Promise<FalseServer> {
  const calls: FalseCall[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const body = JSON.parse(text || "{}") as { records?: { id: string }[]; sent_at?: string };
    const call: FalseCall = {
      name: request.url?.split("/").at(-1) ?? "",
      ids: (body.records ?? []).map(({ id }) => id),
      authorization: request.headers.authorization ?? "",
      sentAt: body.sent_at,
    };
    calls.push(call);
    answer(call, response, calls.length - 1);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function reply(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response.writeHead(status, {
    "content-type": typeof body === "string" ? "text/html" : "application/json",
    ...headers,
  });
  response.end(text);
}
