/**
 * What every server of this package does alike.
 *
 * - `listenOnLoopback(server)` on a port of the system's choice, which it gives.
 * - `readBody(request, limit)` the whole body; undefined when there is more than the limit.
 */
import type { IncomingMessage } from "node:http";
import type { AddressInfo, Server } from "node:net";

export async function listenOnLoopback(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return (server.address() as AddressInfo).port;
}

export async function readBody(request: IncomingMessage, limit: number): Promise<string | undefined> {
  if (Number(request.headers["content-length"] ?? 0) > limit) return undefined;
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > limit) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
