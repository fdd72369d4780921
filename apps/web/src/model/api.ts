/**
 * The client for the server: JSON over fetch with the tab's token, responses parsed by the protocol's schemas.
 *
 * - `status`, `commands` describe the server and its command line.
 * - `signIn` see `sign-in-api.ts`.
 * - `exchange` trades a sign-in code for a token.
 * - `rpc` calls a function of the data plane; `repos`, `members`, `changes` are the ones used on every screen.
 * - `runs` see `runs/run-api.ts`; `evals` and `browse` likewise.
 * - `stream` opens a live stream and returns its body.
 *
 * Every error is an `ApiFault` that says what happened and what to do next.
 */
import {
  type Change,
  CommandList,
  type CommandSummary,
  changeOf,
  ExchangeAnswer,
  markBidi,
  type RpcArguments,
  type RpcName,
  rpcAnswer,
  ServerStatus,
} from "@devflow/protocol";
import { z } from "zod";
import { ApiFault, faultOf } from "./api-fault.ts";
import { createBrowseApi } from "./browse/browse-api.ts";
import { dataUrl } from "./browse/data-url.ts";
import { createEvalApi } from "./evals/eval-api.ts";
import { createRunApi } from "./runs/run-api.ts";
import { createSignInApi } from "./sign-in-api.ts";

export interface ApiOptions {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** `""` in the page; a full origin in tests. */
  readonly origin: string;
  readonly token: () => Promise<string | undefined>;
  /** Called for every 401 to a request that carried a token. */
  readonly onUnauthorised: () => void;
}
export type Api = ReturnType<typeof createApi>;

export function createApi({ fetch, origin, token, onUnauthorised }: ApiOptions) {
  async function send(path: string, init: RequestInit, isSigningIn = false): Promise<Response> {
    const bearer = isSigningIn ? undefined : await token();
    const headers = new Headers(init.headers);
    if (bearer) headers.set("authorization", `Bearer ${bearer}`);
    // The channel that is stored with each decision.
    headers.set("x-devflow-via", "web");
    let response: Response;
    try {
      // Only the routes of signing in use the cookie of a team server.
      const credentials = isSigningIn ? "same-origin" : "omit";
      response = await fetch(origin + path, { ...init, headers, cache: "no-store", credentials });
    } catch (cause) {
      if (init.signal?.aborted) throw cause;
      throw new ApiFault("unreachable", "The Devflow server is not responding.", "devflow up -d", { cause });
    }
    if (response.ok) return response;
    if (response.status === 401 && bearer) onUnauthorised();
    throw await faultOf(response);
  }

  const ask = async <T>(path: string, init: RequestInit, schema: z.ZodType<T>, read = same): Promise<T> =>
    parse(path, await send(path, init), schema, read);

  async function parse<T>(path: string, response: Response, schema: z.ZodType<T>, read = same): Promise<T> {
    const text = await response.text();
    const parsed = schema.safeParse(response.status === 204 ? null : jsonOf(read(text)));
    if (parsed.success) return parsed.data;
    throw new ApiFault(
      "unexpected",
      `The response to ${path} has an unexpected format. The server and this page may be different versions.`,
      "devflow down && devflow up -d",
      { cause: parsed.error },
    );
  }

  const post = (body: unknown, signal?: AbortSignal): RequestInit => ({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
  const get = (signal?: AbortSignal): RequestInit => (signal ? { signal } : {});

  function rpc<Name extends RpcName>(name: Name, args: RpcArguments<Name>, signal?: AbortSignal) {
    return ask(`/rest/v1/rpc/${name}`, post(args, signal), rpcAnswer(name));
  }

  const text = async (path: string, signal?: AbortSignal): Promise<string> =>
    markBidi(await (await send(path, get(signal))).text());

  async function image(path: string, signal?: AbortSignal): Promise<string> {
    const url = dataUrl(new Uint8Array(await (await send(path, get(signal))).arrayBuffer()));
    if (url !== undefined) return url;
    throw new ApiFault("unexpected", "The response is not a picture.", "devflow logs");
  }

  return {
    runs: createRunApi({
      // Code that was reordered to look harmless must not look harmless: people decide by these texts.
      get: (path, schema, signal) => ask(path, get(signal), schema, markBidi),
      post: (path, body, schema, signal) => ask(path, post(body, signal), schema, markBidi),
      text,
      image,
      remove: (path) => ask(path, { method: "DELETE" }, z.unknown()),
      upload: (path, file, schema) =>
        ask(
          path,
          { method: "POST", headers: { "content-type": "application/octet-stream" }, body: file },
          schema,
          markBidi,
        ),
      file: async (path) => new Uint8Array(await (await send(path, {})).arrayBuffer()),
    }),
    evals: createEvalApi({
      get: (path, schema, signal) => ask(path, get(signal), schema),
      post: (path, body, schema) => ask(path, post(body), schema),
      text,
    }),
    browse: createBrowseApi({ get: (path, schema, signal) => ask(path, get(signal), schema), image }),
    status: (signal?: AbortSignal): Promise<ServerStatus> => ask("/api/status", get(signal), ServerStatus),
    commands: async (signal?: AbortSignal): Promise<CommandSummary[]> =>
      (await ask("/api/commands", get(signal), CommandList)).commands,
    signIn: createSignInApi({
      get: async (path, schema) => parse(path, await send(path, {}, true), schema),
      post: async (path, body, schema) => parse(path, await send(path, post(body), true), schema),
      postAsPerson: (path, body, schema) => ask(path, post(body), schema),
    }),
    exchange: (code: string) => ask("/auth/exchange", post({ code }), ExchangeAnswer),
    rpc,
    repos: (teamId: string, signal?: AbortSignal) => rpc("list_repos", { team_id: teamId }, signal),
    members: (teamId: string, signal?: AbortSignal) => rpc("team_members", { team_id: teamId }, signal),
    async changes(teamId: string, afterSeq: number, maxRows: number, signal?: AbortSignal): Promise<Change[]> {
      const rows = await rpc("changes", { team_id: teamId, after_seq: afterSeq, max_rows: maxRows }, signal);
      return rows.map((row) => changeOf(teamId, row));
    },
    async stream(path: string, lastEventId: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
      const headers: Record<string, string> = { accept: "text/event-stream" };
      if (lastEventId) headers["last-event-id"] = lastEventId;
      const response = await send(path, { headers, signal });
      if (!response.body) throw new ApiFault("unexpected", "The live stream has no body.", "devflow logs");
      return response.body;
    },
  };
}

const same = (text: string): string => text;

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
