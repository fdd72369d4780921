/**
 * One command to the daemon that runs.
 *
 * - `callRunning(request, options)` its reply; undefined when none runs, or when it certainly did not take the command.
 */
import { DevflowError } from "@devflow/core/errors";
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
  /** A session's own token, instead of the owner's from the state file. */
  readonly token?: string | undefined;
  readonly signal?: AbortSignal;
}

export async function callRunning(
  request: CommandRequest,
  options: CallOptions,
  state = findDaemon(options.workspace),
): Promise<CommandReply | undefined> {
  return state ? await send(state, request, options) : undefined;
}

/** Undefined when the daemon certainly did not run the command. */
async function send(
  state: DaemonState,
  request: CommandRequest,
  { transport, token, signal }: CallOptions,
): Promise<CommandReply | undefined> {
  const bytes = encodeRequest(commandPath, request, state.port, token ?? state.token);
  let answer: Uint8Array;
  try {
    answer = await transport(state.port, bytes, signal);
  } catch (error) {
    if (signal?.aborted) throw error;
    if ((error as { code?: string }).code === "ECONNREFUSED") return undefined;
    throw lost("the daemon closed the connection", error);
  }
  const response = decodeResponse(answer);
  // The request was sent whole, so the command may have run: repeating a click is for the caller to decide.
  if (!response) throw lost("the daemon ended");
  const reply = replyOf(response.body);
  if (!reply) throw lost("the daemon's answer is not one that this version knows");
  return reply.ok === false && reply.retry === true ? undefined : reply;
}

export function lost(reason: string, cause?: unknown): DevflowError {
  return new DevflowError("browse_lost", { details: { command: "the command", reason }, cause });
}
