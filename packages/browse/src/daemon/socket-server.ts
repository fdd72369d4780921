/**
 * The daemon's socket in the home, for the quick client: one line of JSON each way per connection. Only this user can open
 * it, so a caller without a token is the owner. An empty line says that the request was taken: a client that does not get it from
 * a daemon that was killed may ask another one. Who composes the process brings what listens: a connection of node:net is a
 * stream, and takes 0.3 ms more than a native one.
 *
 * - `startSocketServer(path, listen, handle)` listens; undefined when the folder is not private or cannot be used, and then
 *   clients use HTTP. `close()` closes it and every connection, and removes it. A line that is no request closes its
 *   connection without a word.
 */
import { chmod, rm, stat } from "node:fs/promises";
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

export interface Connection {
  /** How many bytes the system took; negative when the connection is closed. */
  write(bytes: Uint8Array): number;
  /** After what was written. */
  end(): void;
  terminate(): void;
}

/** What happens on a connection. */
export interface Receiver {
  /** The bytes may be used again after this call. */
  read(part: Uint8Array): void;
  /** More can be written. */
  drained(): void;
  closed(): void;
}

/** Listens at that path, with a receiver for each connection; undefined when that is not possible. */
export type Listen = (path: string, receive: (connection: Connection) => Receiver) => { stop(): void } | undefined;

type Handle = (request: QuickRequest, signal: AbortSignal) => Promise<LineAnswer>;

const lineLimit = 8 * 1024 * 1024;
const readLimitMs = 30_000;

export async function startSocketServer(
  path: string,
  listen: Listen,
  handle: Handle,
): Promise<SocketServer | undefined> {
  if (!(await isPrivate(dirname(path)))) return undefined;
  // Left by a daemon that was killed; a live one would hold the workspace's lock.
  await rm(path, { force: true });
  const server = listen(path, (connection) => new Caller(connection, handle));
  if (!server) return undefined;
  await chmod(path, 0o600);
  return {
    close: async () => {
      server.stop();
      await rm(path, { force: true });
    },
  };
}

async function isPrivate(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(() => undefined);
  return found !== undefined && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
}

class Caller implements Receiver {
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

  read(part: Uint8Array): void {
    if (!this.#parts) return;
    this.#parts.push(Buffer.from(part));
    this.#size += part.length;
    if (this.#size > lineLimit) return void this.#connection.terminate();
    if (part.at(-1) !== newline) return;
    clearTimeout(this.#limit);
    const request = parseRequest(Buffer.concat(this.#parts));
    this.#parts = undefined;
    if (!request) return void this.#connection.terminate();
    this.#unsent = taken;
    this.#send();
    this.#handle(request, this.#left.signal).then(
      ({ body, afterwards }) => {
        this.#isAnswered = true;
        this.#afterwards = afterwards;
        this.#unsent = Buffer.concat([this.#unsent, Buffer.from(`${JSON.stringify(body)}\n`)]);
        this.#send();
      },
      () => this.#connection.terminate(),
    );
  }

  drained(): void {
    this.#send();
  }

  #send(): void {
    const written = this.#connection.write(this.#unsent);
    if (written > 0) this.#unsent = this.#unsent.subarray(written);
    if (this.#unsent.length > 0 || !this.#isAnswered) return;
    this.#connection.end();
    const afterwards = this.#afterwards;
    this.#afterwards = undefined;
    afterwards?.();
  }

  closed(): void {
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
