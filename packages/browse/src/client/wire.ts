/**
 * The protocol between client and daemon: one JSON object each way over HTTP/1.1 on loopback.
 *
 * - `encodeRequest(path, body, port, token)` the bytes of a request; the token goes into a header, never into the URL.
 * - `decodeResponse(bytes)` the response; undefined when the connection closed before it was complete.
 * - `replyOf(body)` the reply to a command, with its full error; undefined when it is not one.
 *
 * The same objects go through the daemon's socket in the home, one line each way and without HTTP (`QuickRequest`).
 *
 * HTTP is encoded by hand, since loading an HTTP client costs more than the whole exchange (measured, compiled, CPU
 * time of a call: empty program 5.4 ms, Bun.connect 7.5, node:net 11.1, node:http 14.7).
 */
import { type ErrorReport, readErrorReport } from "@devflow/core/error-report";
import type { Build } from "./compare-builds.ts";

export interface CommandRequest {
  /** As typed after `devflow browse`; the daemon parses them by its records. */
  readonly words?: readonly string[];
  /** Instead of words: a command with parsed arguments. */
  readonly command?: { readonly name: string; readonly input: Readonly<Record<string, unknown>> };
  /** The caller's session if the words do not name one. */
  readonly session?: string;
  readonly json: boolean;
  readonly debug: boolean;
  /** Relative paths start here. */
  readonly cwd: string;
  /** The calling process, since a session ends with its agent. */
  readonly pid: number;
}

/** Through the socket in the home: what the state file would have told the client, the daemon checks instead. */
export interface QuickRequest extends CommandRequest {
  /** The client's program; a newer one replaces the daemon. */
  readonly build: Omit<Build, "executableTime">;
  /** A session's token; without one the caller is the owner. */
  readonly token?: string;
}

export type CommandReply =
  | {
      readonly ok: true;
      /** Exactly what to print. */
      readonly out: string;
      /** The exit code, if not 0: a step of a chain failed. */
      readonly exit?: number;
      /** Notes for standard error: what was restored, what was lost. */
      readonly notes?: readonly string[];
    }
  | {
      readonly ok: false;
      readonly error: ErrorReport;
      readonly notes?: readonly string[];
      readonly trace?: string;
      /** The daemon did nothing: it was stopping, is older than the client, or belongs to another workspace. */
      readonly retry?: boolean;
    };

/** Sends bytes to a loopback port and returns what was received until the other side closed. */
export type Transport = (port: number, bytes: Uint8Array, signal?: AbortSignal) => Promise<Uint8Array>;

export const commandPath = "/command";
export const handoverPath = "/handover";
/** For the Browse screen: the daemon's overview, and a picture of a tab. */
export const overviewPath = "/look";
export const picturePath = "/picture";

export function encodeRequest(path: string, body: unknown, port: number, token: string): Uint8Array {
  const content = Buffer.from(JSON.stringify(body), "utf8");
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
    `Content-Length: ${content.length}`,
    "Connection: close",
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`, "latin1"), content]);
}

export interface DecodedResponse {
  readonly status: number;
  readonly body: unknown;
}

export function decodeResponse(bytes: Uint8Array): DecodedResponse | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = buffer.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = buffer.toString("latin1", 0, end);
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]);
  const content = buffer.subarray(end + 4);
  if (!Number.isInteger(status) || !Number.isInteger(length) || content.length < length) return undefined;
  try {
    return { status, body: JSON.parse(content.toString("utf8", 0, length)) };
  } catch {
    return undefined;
  }
}

export function replyOf(body: unknown): CommandReply | undefined {
  const reply = body as CommandReply | null;
  if (reply?.ok === true) return reply;
  const error = readErrorReport(reply?.error);
  return error && { ...reply, ok: false, error };
}

/** Whether the response is complete, so that a transport can stop reading. */
export function isWhole(bytes: Uint8Array): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = buffer.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(buffer.toString("latin1", 0, end))?.[1]);
  return buffer.length >= end + 4 + length;
}
