/**
 * Requests to a forge's REST API: through `gh` where it is signed in, otherwise with a token from the environment, otherwise
 * without one, which is enough to read what is public.
 *
 * - `openForgeApi(repository, options)` chooses the way; `via` names it.
 * - `request(method, path, body)` the parsed answer; undefined for 404. Errors: `forge_unreachable`, `forge_refused`.
 *
 * Paths are relative to the API's root. No token is in an argument, a message or a URL.
 */
import type { Environment } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import { shortLine } from "@devflow/core/plain-text";
import { redactSecrets } from "@devflow/redact";
import type { ForgeRepository } from "./forge-repository.ts";
import { ghIsSignedIn, ghRequest } from "./gh.ts";

export type ForgeMethod = "GET" | "POST" | "PATCH" | "PUT";

export interface ForgeAnswer {
  readonly status: number;
  readonly text: string;
}

export interface ForgeApi {
  readonly via: "gh" | "token" | "nobody";
  request(method: ForgeMethod, path: string, body?: unknown): Promise<unknown>;
}

export interface ForgeApiOptions {
  readonly env: Environment;
  readonly signal?: AbortSignal;
}

/** An answer of a forge: an issue with its text, or a page of comments. */
const maxBytes = 4 * 1024 * 1024;
const timeoutMs = 20_000;

export async function openForgeApi(repository: ForgeRepository, options: ForgeApiOptions): Promise<ForgeApi> {
  const { kind, host } = repository;
  const byGh = kind === "github" && (await ghIsSignedIn(host, options));
  const token = byGh ? undefined : tokenOf(repository, options.env);
  const send = byGh
    ? (method: ForgeMethod, path: string, body?: unknown) => ghRequest({ host, method, path, body }, options)
    : (method: ForgeMethod, path: string, body?: unknown) =>
        httpRequest(repository, { method, path, body, token }, options);
  return {
    via: byGh ? "gh" : token === undefined ? "nobody" : "token",
    async request(method, path, body) {
      const { status, text } = await send(method, path, body);
      if (status === 404) return undefined;
      if (status < 200 || status >= 300) throw refused(repository, method, path, { status, text });
      return parse(repository, text);
    },
  };
}

/** The root of its API. */
export function apiRoot({ kind, host, site }: Pick<ForgeRepository, "kind" | "host" | "site">): string {
  switch (kind) {
    case "github":
      return host === "github.com" ? "https://api.github.com" : `${site}/api/v3`;
    case "gitlab":
      return `${site}/api/v4`;
    case "gitea":
      return `${site}/api/v1`;
  }
}

function tokenOf({ tokenVariables }: ForgeRepository, env: Environment): string | undefined {
  return tokenVariables.map((name) => env[name]?.trim()).find(Boolean);
}

interface Sent {
  readonly method: ForgeMethod;
  readonly path: string;
  readonly body: unknown;
  readonly token: string | undefined;
}

async function httpRequest(
  repository: ForgeRepository,
  { method, path, body, token }: Sent,
  { signal }: ForgeApiOptions,
): Promise<ForgeAnswer> {
  const { kind, host } = repository;
  const authorization = kind === "gitlab" ? { "private-token": token ?? "" } : { authorization: `token ${token}` };
  try {
    const answer = await fetch(`${apiRoot(repository)}/${path}`, {
      method,
      headers: {
        accept: "application/json",
        "user-agent": "devflow",
        ...(token === undefined ? {} : authorization),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // A redirect could lead to another host, and the token with it.
      redirect: "manual",
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
    });
    return { status: answer.status, text: await boundedText(answer, host) };
  } catch (error) {
    if (error instanceof DevflowError) throw error;
    throw unreachable(host, reasonOf(error), error);
  }
}

async function boundedText(answer: Response, host: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw unreachable(host, `its answer is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The message of a failed fetch may have the URL in it; its code does not. */
function reasonOf(error: unknown): string {
  const { name, code } = error as { name?: string; code?: string };
  if (name === "TimeoutError") return `no answer within ${timeoutMs / 1000} s`;
  return code ?? name ?? "the connection failed";
}

export function unreachable(host: string, reason: string, cause?: unknown): DevflowError {
  return new DevflowError("forge_unreachable", { details: { host, reason }, cause });
}

function refused({ host, kind, tokenVariables }: ForgeRepository, method: string, path: string, answer: ForgeAnswer) {
  const isAccess = answer.status === 401 || answer.status === 403;
  const gh = kind === "github" ? `gh auth login --hostname ${host}, or ` : "";
  const next = isAccess ? `Sign in: ${gh}set ${tokenVariables.join(" or ")} where the server is started.` : "";
  const said = redactSecrets(shortLine(messageIn(answer.text), 300)).text;
  const what = `${method} ${path.split("?")[0]}`;
  return new DevflowError("forge_refused", { details: { host, what, status: answer.status, reason: said, next } });
}

/** GitHub, GitLab and Gitea put the reason under one of these names. */
function messageIn(text: string): string {
  try {
    const { message, error, errors } = JSON.parse(text) as Record<string, unknown>;
    const more = Array.isArray(errors) ? errors.map((one) => (one as { message?: string }).message ?? "") : [];
    return [message ?? error ?? text, ...more]
      .map((one) => (typeof one === "string" ? one : JSON.stringify(one)))
      .join(" ");
  } catch {
    return text;
  }
}

function parse({ host }: ForgeRepository, text: string): unknown {
  if (text.trim() === "") return null;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unreachable(host, "its answer is not JSON", error);
  }
}
