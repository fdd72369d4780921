/**
 * Sends one command to the running daemon.
 *
 * - `callRunning(request, options)` its reply; undefined when none runs, or when it certainly did not run the command.
 */
import type { DevflowError } from "@devflow/core/errors";
import { type DaemonState, findDaemon } from "./daemon-state.ts";
import {
  type CommandReply,
  type CommandRequest,
  commandPath,
  decodeResponse,
  encodeRequest,
  replyOf,
  type Transport,
} from "./wire.ts";
import type { Workspace } from "./workspace.ts";

export interface CallOptions {
  readonly workspace: Workspace;
  readonly transport: Transport;
  /** A session's token, instead of the owner's from the state file. */
  readonly token?: string | undefined;
  readonly signal?: AbortSignal;
  /** How long to wait for the answer; without it, as long as it takes. */
  readonly patienceMs?: number;
}

export async function callRunning(
  request: CommandRequest,
  options: CallOptions,
  state = findDaemon(options.workspace),
): Promise<CommandReply | undefined> {
  return state ? await send(state, request, options) : undefined;
}

async function send(
  state: DaemonState,
  request: CommandRequest,
  { transport, token, signal, patienceMs, workspace }: CallOptions,
): Promise<CommandReply | undefined> {
  const bytes = encodeRequest(commandPath, request, state.port, token ?? state.token);
  let answer: Uint8Array;
  try {
    answer = await transport(state.port, bytes, whicheverFirst(signal, patienceMs));
  } catch (error) {
    if (signal?.aborted) throw error;
    if (patienceMs !== undefined && (error as Error | undefined)?.name === "TimeoutError") {
      throw (await import("./stuck-daemon.ts")).stuckError(workspace, patienceMs, error);
    }
    if ((error as { code?: string }).code === "ECONNREFUSED") return undefined;
    throw await lost("the daemon closed the connection", error);
  }
  const response = decodeResponse(answer);
  // The whole request was sent, so the command may have run; only the caller can decide whether to repeat it.
  if (!response) throw await lost("the daemon ended");
  const reply = replyOf(response.body);
  if (!reply) throw await lost("this version does not understand the daemon's answer");
  return reply.ok === false && reply.retry === true ? undefined : reply;
}

function whicheverFirst(signal: AbortSignal | undefined, ms: number | undefined): AbortSignal | undefined {
  const signals = [...(signal ? [signal] : []), ...(ms === undefined ? [] : [AbortSignal.timeout(ms)])];
  return signals.length > 1 ? AbortSignal.any(signals) : signals[0];
}

/** The table of errors is loaded only here: nearly every command succeeds. */
export async function lost(reason: string, cause?: unknown): Promise<DevflowError> {
  const { DevflowError } = await import("@devflow/core/errors");
  return new DevflowError("browse_lost", { details: { command: "the command", reason }, cause });
}
