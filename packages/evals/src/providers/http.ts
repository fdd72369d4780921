/**
 * HTTP endpoints of promptfoo suites.
 *
 * - `httpProvider(options)` sends the prompt. URL, headers, query, body and auth are templates with the variables and `prompt`.
 *   `transformResponse` is an expression of `json`, `text` and `context`, or a function in a file; without it, the answer is the
 *   body. `validateStatus` is an expression of `status`.
 * - `httpLacks(config)` why an endpoint cannot be asked; known before anything is sent.
 */
import { resolve } from "node:path";
import { CodeFailure, type CodePool } from "../code/index.ts";
import { renderTemplate, type Vars } from "../template/index.ts";
import { retryAfter } from "./post-json.ts";
import { type FaultFacts, type Provider, ProviderFault } from "./provider.ts";
import { readBounded } from "./read-bounded.ts";
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

/** Options that change what is sent, and that Devflow does not know: a suite with one is refused. */
const unknownOptions = ["request", "transformRequest", "session", "sessionParser", "signatureAuth", "tls", "multipart"];

/** Why this endpoint cannot be asked. */
export function httpLacks(config: HttpProviderOptions["config"]): string | undefined {
  const unknown = unknownOptions.find((name) => config[name] !== undefined && config[name] !== null);
  if (unknown !== undefined) return `${unknown} is not supported; use url, method, headers, queryParams, body and auth`;
  const { type } = members(config.auth);
  if (config.auth === undefined || knownAuth.has(String(type))) return undefined;
  return `auth of the type ${String(type)} is not supported; use ${[...knownAuth].join(", ")}`;
}

const knownAuth: ReadonlySet<string> = new Set(["bearer", "basic", "api_key"]);

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
  const run = (expression: string, names: readonly string[], args: readonly unknown[]) =>
    evaluated(expression, names, args, { code, folder });
  return {
    id,
    async call({ prompt, vars, signal }) {
      const text = typeof prompt === "string" ? prompt : JSON.stringify(prompt);
      const fill = (given: unknown): unknown => filled(given, { ...vars, prompt: text }, env);
      const { target, init } = requestOf(url, config, fill, id);
      const began = performance.now();
      const late = AbortSignal.timeout(timeoutMs);
      const response = await answerOf(() => send(target, { ...init, signal: AbortSignal.any([signal, late]) }), {
        id,
        isValid: (status) => isValid(config.validateStatus, status, run),
      }).catch((error: unknown) => {
        signal.throwIfAborted();
        if (late.aborted) throw failed(`${id}: no answer within ${timeoutMs} ms`, { isTransient: true, cause: error });
        throw error;
      });
      const took = Math.round(performance.now() - began);
      const value = await parsed(config.transformResponse ?? config.responseParser, response, run, id);
      const answer = typeof value === "object" && value !== null && "output" in value ? value : { output: value };
      return readResponse(answer as Record<string, unknown>, id, took);
    },
  };
}

const failed = (message: string, facts: FaultFacts = {}): ProviderFault => new ProviderFault("failed", message, facts);
const members = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

/** As in promptfoo, a request without a method is a GET, and a GET has no body. */
function requestOf(url: string, config: HttpProviderOptions["config"], fill: (given: unknown) => unknown, id: string) {
  const address = String(fill(url));
  if (!URL.canParse(address)) throw failed(`${id}: ${address} is not a valid URL`);
  const target = new URL(address);
  for (const [name, value] of Object.entries(members(fill(config.queryParams)))) {
    target.searchParams.append(name, String(value));
  }
  const headers = new Headers(
    Object.entries(members(fill(config.headers))).map(([name, value]): [string, string] => [name, String(value)]),
  );
  authorise(members(fill(config.auth)), headers, target);
  const method = String(fill(config.method) ?? "GET").toUpperCase();
  const body = method === "GET" || method === "HEAD" ? undefined : fill(config.body);
  const isText = typeof body === "string";
  if (body !== undefined && !headers.has("content-type"))
    headers.set("content-type", isText ? "text/plain" : "application/json");
  return { target, init: { method, headers, body: body === undefined ? null : isText ? body : JSON.stringify(body) } };
}

function authorise(auth: Readonly<Record<string, unknown>>, headers: Headers, target: URL): void {
  if (auth.type === "bearer") headers.set("authorization", `Bearer ${String(auth.token)}`);
  else if (auth.type === "basic") {
    const pair = Buffer.from(`${String(auth.username)}:${String(auth.password)}`).toString("base64");
    headers.set("authorization", `Basic ${pair}`);
  } else if (auth.type === "api_key" && auth.placement === "query")
    target.searchParams.append(String(auth.keyName), String(auth.value));
  else if (auth.type === "api_key") headers.set(String(auth.keyName), String(auth.value));
}

interface Received {
  readonly text: string;
  readonly json: unknown;
  readonly status: number;
}

interface Receiving {
  readonly id: string;
  isValid(status: number): Promise<boolean>;
}

async function answerOf(send: () => Promise<Response>, { id, isValid: accepts }: Receiving): Promise<Received> {
  try {
    const response = await send();
    const text = await readBounded(response);
    const { status } = response;
    if (status === 429) {
      const retryAfterMs = retryAfter(response.headers, Date.now());
      throw new ProviderFault("rate_limited", `${id}: too many requests`, { retryAfterMs });
    }
    if (!(await accepts(status))) throw failed(`${id}: the server answered ${status}`, { isTransient: status >= 500 });
    return { text, json: tryParse(text), status };
  } catch (error) {
    if (error instanceof ProviderFault) throw error;
    throw failed(`${id}: ${(error as Error).message}`, { isTransient: true, cause: error });
  }
}

/** An error of the server is not an answer, unless the suite says so. */
async function isValid(validateStatus: unknown, status: number, run: Run): Promise<boolean> {
  if (typeof validateStatus !== "string" || validateStatus.trim() === "") return status < 500;
  return Boolean(await run(validateStatus, ["status"], [status]));
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

async function parsed(transform: unknown, { text, json, status }: Received, run: Run, id: string): Promise<unknown> {
  if (typeof transform !== "string" || transform.trim() === "") return json ?? text;
  const context = { response: { status, statusText: "", data: json ?? text } };
  try {
    return await run(transform, ["json", "text", "context"], [json ?? null, text, context]);
  } catch (error) {
    if (error instanceof CodeFailure) throw failed(`${id}: transformResponse failed: ${error.message}`);
    throw error;
  }
}

type Run = (expression: string, names: readonly string[], args: readonly unknown[]) => Promise<unknown>;

/** An expression of the names, a function of them, or a function in a file. */
async function evaluated(
  expression: string,
  parameters: readonly string[],
  args: readonly unknown[],
  { code, folder }: Pick<HttpProviderOptions, "code" | "folder">,
): Promise<unknown> {
  if (expression.startsWith("file://")) {
    const [, file = "", name] = /^file:\/\/(.*?)(?::([\w$]+))?$/.exec(expression) ?? [];
    return await code.run({ kind: "module", file: resolve(folder, file), name, args });
  }
  const isFunction = /^\s*(?:async\s+)?(?:function\b|\([^)]*\)\s*=>|\w+\s*=>)/.test(expression);
  const body = isFunction ? `return (${expression})(${parameters.join(", ")})` : `return (${expression})`;
  return await code.run({ kind: "inline", parameters, body, args });
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
