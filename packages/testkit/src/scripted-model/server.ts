/**
 * A model that answers as a scenario says, on loopback, in four protocols: `POST /v1/messages` (Anthropic),
 * `POST /v1/responses` and `POST /v1/chat/completions` (OpenAI), `POST /v1beta/models/<model>:generateContent` (Gemini),
 * streamed and not, with counts of tokens, `HEAD /` and `GET /v1/models`.
 *
 * - `startScriptedModel(scenario | file, options)` listens on a free port of 127.0.0.1.
 * - `requests` every request, in order; `waitFor(predicate, signal)` the first matching request, now or later.
 * - `expectFollowed()` throws when a request matched no step, or a step was never used.
 * - `close()` ends every connection, including hanging ones.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { mainSession, scriptOf } from "./choose-answer.ts";
import { type ModelRequest, readModelRequest } from "./model-request.ts";
import { type Protocol, parseScenario, readScenario, type ScenarioInput, type ScenarioValues } from "./scenario.ts";
import { sendAnswer } from "./send-answer.ts";

const requestOutcomes = ["answering", "answered", "unmatched", "client went away", "closed"] as const;

export interface RecordedRequest extends ModelRequest {
  /** From 1, over all sessions. */
  readonly number: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly session: string;
  /** Number of the request in its session, from 1. */
  readonly nth: number;
  readonly step: string | undefined;
  outcome: (typeof requestOutcomes)[number];
}

export interface ScriptedModel {
  readonly port: number;
  /** For `ANTHROPIC_BASE_URL`. */
  readonly url: string;
  /** For OpenAI clients: the url with `/v1`. */
  readonly openaiUrl: string;
  readonly requests: readonly RecordedRequest[];
  /** Requests for anything but an answer: `HEAD /`, `POST /v1/messages/count_tokens`, … */
  readonly others: readonly string[];
  waitFor(predicate: (request: RecordedRequest) => boolean, signal?: AbortSignal): Promise<RecordedRequest>;
  expectFollowed(): void;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface ScriptedModelOptions {
  /** For `{{name}}` in the scenario. */
  readonly values?: ScenarioValues;
}

const paths: Readonly<Record<string, Protocol>> = {
  "/v1/messages": "anthropic",
  "/v1/responses": "responses",
  "/v1/chat/completions": "chat",
};
const protocolAt = (path: string): Protocol | undefined =>
  /^\/v1(beta)?\/models\/[^/]+:(streamG|g)enerateContent$/.test(path) ? "gemini" : paths[path];
const maxBodyBytes = 64 * 1024 * 1024;

export async function startScriptedModel(
  scenario: ScenarioInput | string,
  { values = {} }: ScriptedModelOptions = {},
): Promise<ScriptedModel> {
  const parsed = typeof scenario === "string" ? readScenario(scenario, values) : parseScenario(scenario, values);
  const script = scriptOf(parsed);
  const requests: RecordedRequest[] = [];
  const others: string[] = [];
  const watchers = new Set<() => void>();
  const closing = new AbortController();
  const underWay = new Set<Promise<void>>();
  const changed = () => {
    for (const watch of watchers) watch();
  };

  async function answerModelRequest(
    protocol: Protocol,
    path: string,
    incoming: IncomingMessage,
    response: ServerResponse,
  ) {
    const text = await readBody(incoming);
    const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
    const asked = readModelRequest(protocol, parseJson(text), headers, path);
    const { session, nth, step, answer } = script.choose(asked);
    const record: RecordedRequest = {
      ...asked,
      number: requests.length + 1,
      path,
      headers,
      session,
      nth,
      step,
      outcome: answer ? "answering" : "unmatched",
    };
    requests.push(record);
    changed();
    if (!answer) return refuse(response, describeUnmatched(record));
    const gone = new AbortController();
    response.once("close", () => gone.abort(new Error("the client went away")));
    try {
      await sendAnswer(response, answer, asked, AbortSignal.any([gone.signal, closing.signal]));
      record.outcome = "answered";
    } catch (error) {
      if (!gone.signal.aborted && !closing.signal.aborted) throw error;
      record.outcome = closing.signal.aborted ? "closed" : "client went away";
    }
    changed();
  }

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(incoming.url ?? "/", "http://model").pathname;
    const protocol = incoming.method === "POST" ? protocolAt(path) : undefined;
    if (protocol) return answerModelRequest(protocol, path, incoming, response);
    others.push(`${incoming.method} ${path}`);
    const body = await readBody(incoming);
    if (incoming.method === "HEAD") return void response.writeHead(200).end();
    if (path === "/v1/messages/count_tokens")
      return sendJson(response, 200, { input_tokens: Math.ceil(body.length / 4) });
    if (path.endsWith(":countTokens")) return sendJson(response, 200, { totalTokens: Math.ceil(body.length / 4) });
    if (path === "/v1/models")
      return sendJson(response, 200, { object: "list", data: [], models: [], has_more: false });
    sendJson(response, 404, {
      type: "error",
      error: { type: "not_found_error", message: `The scripted model does not serve ${incoming.method} ${path}.` },
    });
  }

  const server = createServer((incoming, response) => {
    const work = answer(incoming, response)
      .catch((error: unknown) => void response.destroy(error as Error))
      .finally(() => underWay.delete(work));
    underWay.add(work);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;

  async function close(): Promise<void> {
    if (closing.signal.aborted) return;
    closing.abort(new Error("the scripted model is closing"));
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await Promise.allSettled([...underWay, closed]);
  }

  return {
    port,
    url: `http://127.0.0.1:${port}`,
    openaiUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    others,
    waitFor: (predicate, signal = AbortSignal.timeout(20_000)) =>
      new Promise((resolve, reject) => {
        const finish = () => {
          watchers.delete(look);
          signal.removeEventListener("abort", onAbort);
        };
        const look = () => {
          const found = requests.find(predicate);
          if (!found) return;
          finish();
          resolve(found);
        };
        const onAbort = () => {
          finish();
          const asked = requests.map(describeRequest).join("\n") || "  nothing";
          reject(new Error(`The scripted model was not asked that. It was asked:\n${asked}`, { cause: signal.reason }));
        };
        watchers.add(look);
        signal.addEventListener("abort", onAbort, { once: true });
        if (signal.aborted) onAbort();
        else look();
      }),
    expectFollowed() {
      const unmatched = requests.filter(({ outcome }) => outcome === "unmatched").map(describeRequest);
      const unused = script.unused().map((step) => `  never used: ${step}`);
      if (unmatched.length + unused.length === 0) return;
      throw new Error(`The scenario was not followed:\n${[...unmatched, ...unused].join("\n")}`);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) throw new Error(`a request of more than ${maxBodyBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** 400, because agents retry anything else. */
function refuse(response: ServerResponse, message: string): void {
  sendJson(response, 400, {
    type: "error",
    error: { type: "invalid_request_error", message, code: null, param: null },
  });
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

function describeUnmatched(request: RecordedRequest): string {
  return `No step of the scenario answers this request.\n${describeRequest(request)}`;
}

function describeRequest({
  number,
  session,
  nth,
  protocol,
  model,
  step,
  lastUserText,
  toolResults,
  outcome,
}: RecordedRequest) {
  const where = session === mainSession ? "" : ` of ${session}`;
  const results = toolResults.length > 0 ? `, ${toolResults.length} tool result(s)` : "";
  const text = JSON.stringify(lastUserText.slice(-200));
  return `  request ${number} (${nth}${where}; ${protocol}, ${model}; ${step ?? "no step"}; ${outcome}): ${text}${results}`;
}
