/**
 * The daemon's socket in the home, for the quick client: one line of JSON each way per connection. Only this user can open
 * it, so a caller without a token is the owner. An empty line says that the request was taken: a client that does not get it from
 * a daemon that was killed may ask another one.
 *
 * - `startSocketServer(path, handle)` listens; undefined when the folder is not private or cannot be used, and then
 *   clients use HTTP. `close()` closes it and every connection, and removes it. A line that is no request closes its
 *   connection without a word.
 */
import { chmod, rm, stat } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { dirname } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import type { QuickRequest } from "../client/index.ts";

export interface LineAnswer {
  readonly body: unknown;
  /** Called once the answer has been sent. */
  readonly afterwards?: () => void;
}

export interface SocketServer {
  close(): Promise<void>;
}

const lineLimit = 8 * 1024 * 1024;
const readLimitMs = 30_000;

export async function startSocketServer(
  path: string,
  handle: (request: QuickRequest, signal: AbortSignal) => Promise<LineAnswer>,
): Promise<SocketServer | undefined> {
  if (!(await isPrivate(dirname(path)))) return undefined;
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    // A caller that is gone needs no answer.
    socket.on("error", () => socket.destroy());
    serve(socket, handle);
  });
  // Left by a daemon that was killed; a live one would hold the workspace's lock.
  await rm(path, { force: true });
  const isListening = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(path, () => resolve(true));
  });
  if (!isListening) return undefined;
  await chmod(path, 0o600);
  return {
    close: async () => {
      const isClosed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of open) socket.destroy();
      await isClosed;
      await rm(path, { force: true });
    },
  };
}

async function isPrivate(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(() => undefined);
  return found !== undefined && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
}

function serve(socket: Socket, handle: (request: QuickRequest, signal: AbortSignal) => Promise<LineAnswer>): void {
  const gone = new AbortController();
  let isAnswered = false;
  let parts: Buffer[] | undefined = [];
  let size = 0;
  socket.setTimeout(readLimitMs, () => socket.destroy());
  socket.on("close", () => {
    if (!isAnswered) gone.abort(new DevflowError("browse_cancelled", { details: { command: "it" } }));
  });
  socket.on("data", (part: Buffer) => {
    if (!parts) return;
    parts.push(part);
    size += part.length;
    if (size > lineLimit) return void socket.destroy();
    if (part.at(-1) !== newline) return;
    const request = parseRequest(Buffer.concat(parts));
    parts = undefined;
    if (!request) return void socket.destroy();
    socket.setTimeout(0);
    socket.write("\n");
    void handle(request, gone.signal).then(
      ({ body, afterwards }) => {
        isAnswered = true;
        socket.end(`${JSON.stringify(body)}\n`, afterwards);
      },
      () => socket.destroy(),
    );
  });
}

const newline = 10;

function parseRequest(bytes: Buffer): QuickRequest | undefined {
  try {
    const line = JSON.parse(bytes.toString("utf8")) as Partial<QuickRequest> | null;
    return typeof line?.cwd === "string" && typeof line.build?.version === "string"
      ? (line as QuickRequest)
      : undefined;
  } catch {
    return undefined;
  }
}
