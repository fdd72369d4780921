/**
 * One question to an agent that speaks the Agent Client Protocol, without a session that is kept: for evals.
 *
 * - `askAcpAgent(question)` starts the agent, asks, and ends it with everything it started. Rejects with the reason if it does not
 *   answer, and with the signal's reason if it was stopped.
 *
 * The agent is in the mode that its definition or its profile names. It may read and change files in its folder; whatever else it
 * asks for is denied.
 */
import { setImmediate } from "node:timers/promises";
import type { RequestPermissionRequest, SessionUpdate, ToolCallUpdate } from "@agentclientprotocol/sdk";
import type { HeldStart } from "../holder/held-start.ts";
import { type AcpConnection, connectAcp } from "./acp-connection.ts";
import { failureOf } from "./acp-failure.ts";
import { openAcpSession } from "./acp-session.ts";
import { acpSettings } from "./acp-settings.ts";
import { type TurnUsage, usageMeter } from "./acp-usage.ts";
import { clientFiles } from "./client-files.ts";
import { profileOf } from "./profiles/index.ts";
import { isAllowedAtOnce, pathsOf, toolName } from "./tool-request.ts";

export interface AgentQuestion {
  readonly prompt: string;
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** What is particular about this agent: its profile, its mode. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly model?: string | undefined;
  readonly signal: AbortSignal;
}

export interface AgentReply {
  readonly text: string;
  readonly toolCalls: readonly { readonly name: string; readonly input: unknown }[];
  readonly usage: readonly TurnUsage[];
}

export async function askAcpAgent(question: AgentQuestion): Promise<AgentReply> {
  const { signal } = question;
  signal.throwIfAborted();
  let connection: AcpConnection | undefined;
  const stopped = Promise.withResolvers<never>();
  stopped.promise.catch(() => undefined);
  const onAbort = () => stopped.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  const turn = openTurn(question);
  try {
    connection = await connectAcp(
      { start: turn.start, env: question.env, ended: (reason) => stopped.reject(new Error(reason)) },
      [],
      turn.handlers,
    );
    return await Promise.race([turn.ask(connection), stopped.promise]);
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(failureOf(error), { cause: error });
  } finally {
    signal.removeEventListener("abort", onAbort);
    await connection?.process.end();
  }
}

function openTurn({ command, settings, cwd, model, prompt }: AgentQuestion) {
  const start: HeldStart = {
    ...{ sessionId: "", runId: "", roleId: "", wire: "acp", prelude: "", command, settings, cwd, writableFolders: [] },
    launch: {
      ...{ mayEdit: true, allowedCommands: [], schemas: {}, extra: {} },
      ...(model === undefined ? {} : { model }),
    },
  };
  const { profile: profileName } = acpSettings(start);
  const profile = profileOf(profileName);
  const meter = usageMeter(profile.usage);
  const calls = new Map<string, ToolCallUpdate>();
  const files = clientFiles({
    readable: [cwd],
    mayWrite: (path) => isAllowedAtOnce(writing(path), [path], start, [cwd]),
  });
  let text = "";

  const remember = (call: ToolCallUpdate): ToolCallUpdate => {
    const known = calls.get(call.toolCallId);
    const told = Object.fromEntries(Object.entries(call).filter(([, value]) => value != null));
    const merged: ToolCallUpdate = { ...known, ...told, toolCallId: call.toolCallId };
    calls.set(call.toolCallId, merged);
    return merged;
  };
  const heard = (update: SessionUpdate) => {
    meter.heard(update);
    if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text") text += update.content.text;
    if (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update") remember(update);
  };
  const decided = ({ toolCall, options }: RequestPermissionRequest): string | undefined => {
    const call = remember(toolCall);
    const isAllowed = isAllowedAtOnce(call, pathsOf(call, cwd), start, [cwd]);
    const kinds = isAllowed ? ["allow_once"] : ["reject_once", "reject_always"];
    return options.find(({ kind }) => kinds.includes(kind))?.optionId;
  };
  return {
    start,
    handlers: ((app) => {
      app.onNotification("session/update", ({ params }) => heard(params.update));
      app.onRequest("session/request_permission", async ({ params }) => {
        const optionId = decided(params);
        return { outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId } };
      });
      app.onRequest("fs/read_text_file", async ({ params }) => ({ content: await files.read(params) }));
      app.onRequest("fs/write_text_file", async ({ params }) => {
        await files.write(params);
        return {};
      });
    }) satisfies Parameters<typeof connectAcp>[2],
    async ask({ agent }: AcpConnection): Promise<AgentReply> {
      const opening = { agent, start, profile, known: undefined, mayBeLost: true, folders: [] };
      const session = await openAcpSession(opening);
      text = "";
      const ended = await agent.request("session/prompt", {
        sessionId: session.id,
        prompt: [{ type: "text", text: prompt }],
      });
      // Updates that came before the answer are handled first.
      await setImmediate();
      if (ended.stopReason !== "end_turn" && text === "")
        throw new Error(`it stopped without an answer: ${ended.stopReason}`);
      const usage = meter.turn(ended, session.model ?? profileName ?? "unknown");
      const toolCalls = [...calls.values()].map((call) => ({
        name: toolName(call),
        input: call.rawInput ?? call.title ?? null,
      }));
      return { text: text.trim(), toolCalls, usage };
    },
  };
}

const writing = (path: string): ToolCallUpdate => ({ toolCallId: "write", kind: "edit", locations: [{ path }] });
