/**
 * The picker's HTTP server, on its own port, since the daemon's server refuses browsers.
 *
 * - `openPicker(task)` listens on loopback until the choice is made, five minutes have passed or it is closed; `url` is for
 *   the person's browser.
 */
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { parseJson } from "@devflow/core/read-if-there";
import { listenOnLoopback, readBody } from "../loopback.ts";
import { PickerState, type PickerTask, pickerPage } from "./picker.ts";

export interface OpenPicker {
  readonly url: string;
  close(): void;
  readonly closed: Promise<void>;
}

const lifeMs = 5 * 60_000;
const bodyLimit = 1_000_000;

export async function openPicker(task: PickerTask, { timeMs = lifeMs } = {}): Promise<OpenPicker> {
  const state = new PickerState(task);
  let port = 0;
  const server = createServer((request, response) => {
    void answer(request, response, port, state)
      .catch(() => response.destroy())
      .finally(() => {
        if (state.isSpent) response.once("close", close);
      });
  });
  const closed = new Promise<void>((resolve) => server.once("close", resolve));
  const timer = setTimeout(close, timeMs);
  // A pending choice must not keep the daemon alive.
  timer.unref();
  function close() {
    clearTimeout(timer);
    server.close();
    server.closeAllConnections();
  }
  port = await listenOnLoopback(server);
  server.unref();
  return { url: `http://127.0.0.1:${port}/#${state.code}`, close, closed };
}

async function answer(request: IncomingMessage, response: ServerResponse, port: number, state: PickerState) {
  const own = `127.0.0.1:${port}`;
  const { host, origin, "content-type": type } = request.headers;
  const site = request.headers["sec-fetch-site"];
  if (host !== own) return send(response, 403, "text/plain", "wrong Host");
  if (request.method === "GET" && request.url === "/") {
    // Refuses links from other pages.
    if (site !== undefined && site !== "none" && site !== "same-origin")
      return send(response, 403, "text/plain", "open this page directly");
    const nonce = randomBytes(16).toString("base64");
    const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`;
    return send(response, 200, "text/html; charset=utf-8", pickerPage(nonce), { "content-security-policy": policy });
  }
  if (request.method !== "POST") return send(response, 405, "text/plain", "GET / or POST only");
  if (origin !== `http://${own}` || type !== "application/json")
    return send(response, 403, "text/plain", "wrong Origin");
  const { status, body } = await state.answer(request.url ?? "", await readJson(request));
  send(response, status, "application/json", JSON.stringify(body));
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const text = await readBody(request, bodyLimit);
  if (text === undefined) throw new Error("too large");
  return parseJson(text);
}

function send(
  response: ServerResponse,
  status: number,
  type: string,
  body: string,
  headers: Record<string, string> = {},
) {
  response.writeHead(status, {
    "content-type": type,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    connection: "close",
    ...headers,
  });
  response.end(body);
}
