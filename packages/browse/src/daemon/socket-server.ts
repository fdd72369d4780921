/**
 * The daemon's socket in the home, for the quick client: one line of JSON each way per connection. Only this user can open
 * it, so a caller without a token is the owner. An empty line says that the request was taken: a client that does not get it from
 * a daemon that was killed may ask another one. Only natives of Bun: a connection of node:net is a stream, and takes 0.2 ms more.
 *
 * - `startSocketServer(path, handle)` listens; undefined when the folder is not private or cannot be used, and then
 *   clients use HTTP. `close()` closes it and every connection, and removes it. A line that is no request closes its
 *   connection without a word.
 */
import { chmod, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import type { UnixSocketListener } from "bun";
import type { QuickRequest } from "../client/index.ts";

export interface LineAnswer {
  readonly body: unknown;
  /** Called once the answer has been sent. */
  readonly afterwards?: () => void;
}

export interface SocketServer {
  close(): Promise<void>;
}

type Handle = (request: QuickRequest, signal: AbortSignal) => Promise<LineAnswer>;

const lineLimit = 8 * 1024 * 1024;
const readLimitMs = 30_000;

export async function startSocketServer(path: string, handle: Handle): Promise<SocketServer | undefined> {
  if (!(await isPrivate(dirname(path)))) return undefined;
  // Left by a daemon that was killed; a live one would hold the workspace's lock.
  await rm(path, { force: true });
  const server = listen(path, handle);
  if (!server) return undefined;
  await chmod(path, 0o600);
  return {
    close: async () => {
      server.stop(true);
      await rm(path, { force: true });
    },
  };
}

async function isPrivate(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(() => undefined);
  return found !== undefined && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
}

function listen(path: string, handle: Handle): UnixSocketListener<Caller> | undefined {
  try {
    return Bun.listen<Caller>({
      unix: path,
      socket: {
        open: (socket) => {
          socket.data = new Caller(socket, handle);
        },
        data: ({ data: caller }, part) => caller.read(part),
        drain: ({ data: caller }) => caller.send(),
        close: ({ data: caller }) => caller.gone(),
        // A caller that is gone needs no answer.
        error: (socket) => void socket.terminate(),
      },
    });
  } catch {
    return undefined;
  }
}

interface Connection {
  write(bytes: Uint8Array): number;
  end(): void;
  terminate(): void;
}

class Caller {
  readonly #connection: Connection;
  readonly #handle: Handle;
  readonly #left = new AbortController();
  readonly #limit: NodeJS.Timeout;
  /** Undefined when the line is complete. */
  #parts: Buffer[] | undefined = [];
  #size = 0;
  /** What the system has not taken yet. */
  #unsent: Uint8Array = new Uint8Array();
  #isAnswered = false;
  #afterwards: (() => void) | undefined;

  constructor(connection: Connection, handle: Handle) {
    this.#connection = connection;
    this.#handle = handle;
    this.#limit = setTimeout(() => connection.terminate(), readLimitMs);
  }

  read(part: Buffer): void {
    if (!this.#parts) return;
    // Bun may use its memory again after this call.
    this.#parts.push(Buffer.from(part));
    this.#size += part.length;
    if (this.#size > lineLimit) return void this.#connection.terminate();
    if (part.at(-1) !== newline) return;
    clearTimeout(this.#limit);
    const request = parseRequest(Buffer.concat(this.#parts));
    this.#parts = undefined;
    if (!request) return void this.#connection.terminate();
    this.#unsent = taken;
    this.send();
    this.#handle(request, this.#left.signal).then(
      ({ body, afterwards }) => {
        this.#isAnswered = true;
        this.#afterwards = afterwards;
        this.#unsent = Buffer.concat([this.#unsent, Buffer.from(`${JSON.stringify(body)}\n`)]);
        this.send();
      },
      () => this.#connection.terminate(),
    );
  }

  send(): void {
    const written = this.#connection.write(this.#unsent);
    // Negative when the connection is closed.
    if (written > 0) this.#unsent = this.#unsent.subarray(written);
    if (this.#unsent.length > 0 || !this.#isAnswered) return;
    this.#connection.end();
    const afterwards = this.#afterwards;
    this.#afterwards = undefined;
    afterwards?.();
  }

  gone(): void {
    clearTimeout(this.#limit);
    if (!this.#isAnswered) this.#left.abort(new DevflowError("browse_cancelled", { details: { command: "it" } }));
  }
}

const newline = 10;
const taken = Buffer.from("\n");

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
