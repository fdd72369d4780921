/**
 * The server's runs, as the commands ask for them: the machine's token, the channel `cli`, and the session when an agent
 * types.
 *
 * - `connectRuns(context)` the running server; with `mayStart` it is started if there is none.
 */
import type { CommandContext } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { homeAt } from "@devflow/core/home";
import type { ServerState } from "@devflow/protocol";
import type { z } from "zod";
import { type CallOptions, callServer, fetchServer } from "../server/client.ts";
import { startDetached } from "../server/start-detached.ts";
import { reachServer } from "../server/state.ts";
import { callerSession } from "./caller-session.ts";

export interface RunsClient {
  readonly state: ServerState;
  get<S extends z.ZodType>(path: string, answer: S): Promise<z.output<S>>;
  post<S extends z.ZodType>(
    path: string,
    body: unknown,
    answer: S,
    options?: Pick<CallOptions, "timeoutMs">,
  ): Promise<z.output<S>>;
  /** The body is a file. */
  upload<S extends z.ZodType>(path: string, bytes: Uint8Array, answer: S): Promise<z.output<S>>;
  remove<S extends z.ZodType>(path: string, answer: S): Promise<z.output<S>>;
  text(path: string): Promise<string>;
  stream(path: string, options: Pick<CallOptions, "headers" | "signal">): Promise<Response>;
}

/** Verifying a long run reads all of its files. */
const patienceMs = 60_000;

export async function connectRuns(
  context: Pick<CommandContext, "config" | "env" | "signal" | "output">,
  { mayStart = false } = {},
): Promise<RunsClient> {
  const config = context.config();
  const home = homeAt(config.home);
  const found = await reachServer(home);
  if (found) return runsClient(found, context.env);
  if (!mayStart) throw new DevflowError("server_not_running", { details: { home: home.root } });
  context.output.note("Starting the server …");
  const state = await startDetached(config, { env: context.env, flags: [], signal: context.signal });
  return runsClient(state, context.env);
}

export function runsClient(state: ServerState, env: CommandContext["env"]): RunsClient {
  const session = callerSession(env);
  const headers = { "x-devflow-via": "cli", ...(session ? { "x-devflow-session": session } : {}) };
  const timeoutMs = patienceMs;
  return {
    state,
    get: (path, answer) => callServer(state, path, answer, { headers, timeoutMs }),
    post: (path, body, answer, options) =>
      callServer(state, path, answer, { method: "POST", body, headers, timeoutMs, ...options }),
    upload: (path, bytes, answer) => {
      const type = { "content-type": "application/octet-stream" };
      return callServer(state, path, answer, {
        method: "POST",
        body: bytes,
        headers: { ...headers, ...type },
        timeoutMs,
      });
    },
    remove: (path, answer) => callServer(state, path, answer, { method: "DELETE", headers, timeoutMs }),
    text: async (path) => await (await fetchServer(state, path, { headers, timeoutMs })).text(),
    stream: (path, options) => fetchServer(state, path, { ...options, headers: { ...headers, ...options.headers } }),
  };
}
