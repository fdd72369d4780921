/**
 * `httpProvider(config, options)` sends the prompt to an HTTP endpoint.
 *
 * URL, headers, query and body are templates with the variables and `prompt`. `transformResponse` is an expression of `json`,
 * `text` and `context`, or a function in a file; without it, the answer is the body.
 */
import { CodeFailure, type CodePool } from "../code/index.ts";
import { renderTemplate, type Vars } from "../template/index.ts";
import { type Provider, ProviderFault } from "./provider.ts";
import { readResponse } from "./script.ts";

export interface HttpProviderOptions {
  readonly id: string;
  readonly url: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly code: CodePool;
  readonly fetch?: typeof fetch;
}

const usualTimeoutMs = 300_000;
const maxBytes = 16 * 1024 * 1024;

export function httpProvider({
  id,
  url,
  config,
  env,
  code,
  fetch: send = fetch,
  folder,
}: HttpProviderOptions): Provider {
  const timeoutMs = typeof config.timeout === "number" ? config.timeout : usualTimeoutMs;
  return {
    id,
    async call({ prompt, vars, signal }) {
      const text = typeof prompt === "string" ? prompt : JSON.stringify(prompt);
      const all = { ...vars, prompt: text };
      const fill = (given: unknown): unknown => filled(given, all, env);
      const body = fill(config.body);
      const target = new URL(String(fill(url)));
      for (const [name, value] of Object.entries((fill(config.queryParams) ?? {}) as object)) {
        target.searchParams.set(name, String(value));
      }
      const isText = typeof body === "string";
      const headers = new Headers(Object.entries((fill(config.headers) ?? {}) as Record<string, string>));
      if (body !== undefined && !isText && !headers.has("content-type"))
        headers.set("content-type", "application/json");
      const began = performance.now();
      const response = await answerOf(id, () =>
        send(target, {
          method: String(config.method ?? (body === undefined ? "GET" : "POST")),
          headers,
          body: body === undefined ? null : isText ? body : JSON.stringify(body),
          signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        }),
      );
      signal.throwIfAborted();
      const took = Math.round(performance.now() - began);
      const value = await parsed(config.transformResponse ?? config.responseParser, response, { code, folder, id });
      const answer = typeof value === "object" && value !== null && "output" in value ? value : { output: value };
      return readResponse(answer as Record<string, unknown>, id, took);
    },
  };
}

interface Received {
  readonly text: string;
  readonly json: unknown;
  readonly status: number;
}

async function answerOf(id: string, send: () => Promise<Response>): Promise<Received> {
  try {
    const response = await send();
    const text = await response.text();
    if (text.length > maxBytes) throw new ProviderFault("failed", `${id}: the answer is larger than ${maxBytes} bytes`);
    if (response.status === 429) {
      const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
      const retryAfterMs = Number.isNaN(seconds) ? undefined : seconds * 1000;
      throw new ProviderFault("rate_limited", `${id}: too many requests`, { retryAfterMs });
    }
    if (response.status >= 500) {
      throw new ProviderFault("failed", `${id}: the server answered ${response.status}`, { isTransient: true });
    }
    return { text, json: tryParse(text), status: response.status };
  } catch (error) {
    if (error instanceof ProviderFault) throw error;
    throw new ProviderFault("failed", `${id}: ${(error as Error).message}`, { isTransient: true, cause: error });
  }
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

async function parsed(
  transform: unknown,
  { text, json, status }: Received,
  { code, folder, id }: { code: CodePool; folder: string; id: string },
): Promise<unknown> {
  if (typeof transform !== "string" || transform.trim() === "") return json ?? text;
  const context = { response: { status, statusText: "", data: json ?? text } };
  const args = [json ?? null, text, context];
  try {
    if (transform.startsWith("file://")) {
      const [, file = "", name] = /^file:\/\/(.*?)(?::([\w$]+))?$/.exec(transform) ?? [];
      return await code.run({ kind: "module", file: `${folder}/${file}`, name, args });
    }
    const isFunction = /^\s*(?:async\s+)?(?:function\b|\([^)]*\)\s*=>|\w+\s*=>)/.test(transform);
    const body = isFunction ? `return (${transform})(json, text, context)` : `return (${transform})`;
    return await code.run({ kind: "inline", parameters: ["json", "text", "context"], body, args });
  } catch (error) {
    if (error instanceof CodeFailure)
      throw new ProviderFault("failed", `${id}: transformResponse failed: ${error.message}`);
    throw error;
  }
}

/** Fills the variables into every text of a value. A text that is only a variable keeps the variable's JSON. */
function filled(given: unknown, vars: Vars, env: HttpProviderOptions["env"]): unknown {
  if (typeof given === "string") {
    const text = renderTemplate(given, vars, { env });
    const isOnlyTag = /^\s*\{\{[^{}]*\}\}\s*$/.test(given) && /^\s*[[{]/.test(text);
    return isOnlyTag ? (tryParse(text) ?? text) : text;
  }
  if (Array.isArray(given)) return given.map((one) => filled(one, vars, env));
  if (typeof given !== "object" || given === null) return given;
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, filled(value, vars, env)]));
}
