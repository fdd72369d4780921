/**
 * Any agent that speaks the Agent Client Protocol, behind pipes. See `Wire` for the contract.
 *
 * - A prompt is confirmed when the agent answers a question that was sent after it: messages are read in their order, so
 *   it has read the prompt by then. The question is an extension method that agents refuse, as the protocol wants it. An
 *   update of the turn, or its end, confirms the prompt too.
 * - Whether a prompt arrived before a crash is in what `session/load` replays. An agent that replays nothing may have it:
 *   it is not sent again.
 * - The protocol has no way to speak to an agent in a turn. A person's message waits until the agent ends its turn, and
 *   the turn then goes on with it; so it does with the words that hold a turn.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as pause, setImmediate } from "node:timers/promises";
import type { RequestPermissionRequest, SessionUpdate, StopReason, ToolCallUpdate } from "@agentclientprotocol/sdk";
import type { PermissionAnswer, TurnOutcome } from "../adapter.ts";
import { sessionFolder } from "../folder/session-folder.ts";
import { readAgentFile } from "../holder/agent-file.ts";
import type { MakeWire, Wire } from "../holder/wire.ts";
import { type AcpConnection, connectAcp } from "./acp-connection.ts";
import { failureOf } from "./acp-failure.ts";
import { type AcpSession, openAcpSession } from "./acp-session.ts";
import { acpSettings } from "./acp-settings.ts";
import { usageMeter } from "./acp-usage.ts";
import { clientFiles, OutOfReach } from "./client-files.ts";
import { isInside } from "./inside-folders.ts";
import { profileOf } from "./profiles/index.ts";
import { describeRequest, isAllowedAtOnce, pathsOf } from "./tool-request.ts";
import { createTranscript } from "./transcript.ts";

interface OpenPermission {
  readonly options: RequestPermissionRequest["options"];
  readonly paths: readonly string[];
  /** Undefined: the turn is over, or the agent no longer waits. */
  answer(optionId: string | undefined): void;
}

interface Message {
  readonly text: string;
  sent(): void;
}

/** Updates that belong to a turn; the others come at any time. */
const turnUpdates: ReadonlySet<string> = new Set([
  "user_message_chunk",
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call",
  "tool_call_update",
  "plan",
]);

/** Less than the driver waits for a start. */
const openLimitMs = 50_000;

/** Agents may replay after their answer to `session/load`: the replay is over when nothing has come for this long. */
const replayQuietMs = 300;

export const acpWire: MakeWire = (host): Wire => {
  const { start } = host;
  const { profile: profileName } = acpSettings(start);
  const profile = profileOf(profileName);
  const folder = sessionFolder(host.root);
  const readable = [start.cwd, ...start.writableFolders, folder.instructions];
  const meter = usageMeter(profile.usage);
  const transcript = createTranscript();
  const calls = new Map<string, ToolCallUpdate>();
  const permissions = new Map<string, OpenPermission>();
  /** Files that a person allowed to change. */
  const granted = new Set<string>();
  const waiting: Message[] = [];
  let connection: AcpConnection;
  let session: AcpSession;
  let replayed = "";
  let lastReplay = 0;
  let isInTurn = false;
  /** The turn that goes on, or the last one. */
  let turn: Promise<void> = Promise.resolve();
  let isInterrupted = false;
  let needsSystemPrompt = false;
  let confirm = () => {};

  const onUpdate = (update: SessionUpdate) => {
    if (update.sessionUpdate === "current_mode_update") session?.modeChanged(update.currentModeId);
    if (!isInTurn) {
      lastReplay = Date.now();
      if (update.sessionUpdate === "user_message_chunk" && update.content.type === "text")
        replayed += update.content.text;
      return;
    }
    meter.heard(update);
    if (!turnUpdates.has(update.sessionUpdate)) return;
    confirm();
    host.activity(update.sessionUpdate);
    if (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update") remember(update);
    for (const line of transcript.add(update)) host.output(line);
  };

  /** A request for a permission may repeat only part of what its tool call said before, or less precisely. */
  const remember = (call: ToolCallUpdate): ToolCallUpdate => {
    const known = calls.get(call.toolCallId);
    const told = Object.fromEntries(Object.entries(call).filter(([, value]) => value != null));
    const kind = call.kind == null || call.kind === "other" ? (known?.kind ?? call.kind) : call.kind;
    const merged: ToolCallUpdate = { ...known, ...told, kind: kind ?? null, toolCallId: call.toolCallId };
    calls.set(call.toolCallId, merged);
    return merged;
  };

  const onPermission = (
    { toolCall, options }: RequestPermissionRequest,
    signal: AbortSignal,
  ): Promise<string | undefined> => {
    confirm();
    const before = calls.get(toolCall.toolCallId);
    const call = remember(toolCall);
    const named = [before, call].flatMap((one) => (one ? pathsOf(one, start.cwd) : []));
    const paths = [...new Set(named)];
    const allow = chosen(options, "allow");
    if (allow !== undefined && isAllowedAtOnce(call, paths, start, readable)) return Promise.resolve(allow);
    const permissionId = `acp-${randomUUID()}`;
    return new Promise((resolve) => {
      const answer = (optionId: string | undefined) => {
        if (!permissions.delete(permissionId)) return;
        resolve(optionId);
      };
      permissions.set(permissionId, { options, paths, answer });
      signal.addEventListener("abort", () => forget(permissionId), { once: true });
      host.permission({ permissionId, ...describeRequest(call, paths, start.cwd) });
    });
  };

  const forget = (permissionId: string) => {
    if (!permissions.has(permissionId)) return;
    permissions.get(permissionId)?.answer(undefined);
    host.permissionGone(permissionId);
  };
  const forgetAll = () => {
    for (const permissionId of permissions.keys()) forget(permissionId);
  };

  const files = clientFiles({
    readable,
    mayWrite: (path) =>
      isInside(path, start.writableFolders) ||
      (isInside(path, [start.cwd]) && (start.launch.mayEdit || granted.has(path))),
  });

  /** One request to the agent: resolves when it stops. */
  const ask = async (text: string): Promise<StopReason> => {
    const { agent } = connection;
    const answer = agent.request("session/prompt", { sessionId: session.id, prompt: [{ type: "text", text }] });
    const read = confirm;
    void agent.request("_devflow/received", { sessionId: session.id }).then(read, read);
    try {
      const ended = await answer;
      // Updates that came before the answer are handled first.
      await setImmediate();
      for (const used of meter.turn(ended, session.model ?? profileName ?? "unknown")) host.usage(used);
      return ended.stopReason;
    } finally {
      forgetAll();
      for (const line of transcript.flush()) host.output(line);
    }
  };

  /**
   * A turn as Devflow means it: until the agent has nothing more to hear. The mode has been checked. Only a prompt's turn has
   * something to deliver, and its end is told.
   */
  const runTurn = async (of: "prompt" | "message", first: string, sent: () => void): Promise<void> => {
    const endTurn = (outcome: TurnOutcome, reason?: string) => {
      isInTurn = false;
      confirm();
      // After a turn that ended early, messages that waited for its end go with the next prompt.
      for (const { sent: told } of waiting) told();
      if (of === "prompt") host.turnEnded(outcome, reason);
    };
    isInTurn = true;
    isInterrupted = false;
    confirm = sent;
    let text = first;
    try {
      for (;;) {
        const stop = await ask(text);
        const mayEnd = isInterrupted || waiting.length > 0 || of === "message";
        const words = mayEnd ? undefined : await host.mayEndTurn();
        if (isInterrupted) return endTurn("interrupted");
        const message = waiting.shift();
        text = [message?.text, words].filter((one) => one !== undefined).join("\n\n");
        if (text === "") return endTurn(outcomeOf(stop), reasonOf(stop));
        confirm = message?.sent ?? (() => {});
        await session.keepMode();
      }
    } catch (error) {
      if (isInterrupted) endTurn("interrupted");
      else endTurn("failed", failureOf(error));
    }
  };

  return {
    async open() {
      const folders = [...start.writableFolders, folder.instructions];
      const { folderOption } = profile;
      const words = folderOption === undefined ? [] : folders.flatMap((path) => [folderOption, path]);
      connection = await connectAcp(host, words, (app, { RequestError }) => {
        const reached = async <T>(work: Promise<T>): Promise<T> => {
          try {
            return await work;
          } catch (error) {
            if (error instanceof OutOfReach) throw RequestError.invalidParams(undefined, error.message);
            if ((error as NodeJS.ErrnoException).code === "ENOENT") throw RequestError.resourceNotFound();
            throw RequestError.internalError(undefined, (error as Error).message);
          }
        };
        app.onNotification("session/update", ({ params }) => onUpdate(params.update));
        app.onRequest("session/request_permission", async ({ params, signal }) => {
          const optionId = await onPermission(params, signal);
          return { outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId } };
        });
        app.onRequest("fs/read_text_file", async ({ params }) => ({ content: await reached(files.read(params)) }));
        app.onRequest("fs/write_text_file", async ({ params }) => {
          await reached(files.write(params));
          return {};
        });
      });
      host.started(connection.process.pid);
      session = await opensInTime({
        agent: connection.agent,
        start,
        profile,
        known: host.agentSessionId,
        mayBeLost: readAgentFile(folder.agent).isGreeted !== true,
        folders,
      }).catch(async (error: unknown) => {
        await connection.process.end();
        throw new Error(failureOf(error), { cause: error });
      });
      if (session.isContinued && session.hasReplay) await replayEnds();
      needsSystemPrompt = replayed === "" && (!session.isContinued || session.hasReplay);
      return { agentSessionId: session.id };
    },

    async wasReceived(uuid) {
      if (!session.isContinued) return false;
      return session.hasReplay ? replayed.includes(uuid) : true;
    },

    async prompt(text) {
      // A message to an idle agent has a turn of its own; agents confuse two turns at once.
      await turn;
      await session.keepMode();
      const system = needsSystemPrompt ? start.launch.systemPrompt : undefined;
      needsSystemPrompt = false;
      const said = waiting.splice(0).map((message) => message.text);
      const whole = [system, ...said, text].filter((one) => one !== undefined).join("\n\n");
      await confirmed((sent) => {
        turn = runTurn("prompt", whole, sent);
      });
    },

    async say(text) {
      if (isInTurn) return await confirmed((sent) => void waiting.push({ text, sent }));
      await session.keepMode();
      await confirmed((sent) => {
        turn = runTurn("message", text, sent);
      });
    },

    async interrupt() {
      if (!isInTurn) return;
      isInterrupted = true;
      forgetAll();
      await connection.agent.notify("session/cancel", { sessionId: session.id });
    },

    async answer(permissionId, answer) {
      const asked = permissions.get(permissionId);
      if (!asked) return;
      if (answer === "allow") for (const path of asked.paths) granted.add(path);
      const optionId = chosen(asked.options, answer);
      if (optionId === undefined) host.output(`The agent offers no way to ${answer} this once, so it was cancelled.`);
      asked.answer(optionId);
    },

    close: () => connection.process.end(),
  };

  async function replayEnds(): Promise<void> {
    do await pause(replayQuietMs);
    while (Date.now() - lastReplay < replayQuietMs);
  }
};

async function opensInTime(opening: Parameters<typeof openAcpSession>[0]): Promise<AcpSession> {
  const limit = new AbortController();
  const late = pause(openLimitMs, undefined, { signal: limit.signal }).then(() => {
    throw new Error(`it did not open a session within ${openLimitMs / 1000} s`);
  });
  try {
    return await Promise.race([openAcpSession(opening), late]);
  } finally {
    late.catch(() => undefined);
    limit.abort();
  }
}

/** The option for this one time. Denying may last longer than asked for; allowing may not. */
function chosen(options: RequestPermissionRequest["options"], answer: PermissionAnswer): string | undefined {
  const kinds = answer === "allow" ? ["allow_once"] : ["reject_once", "reject_always"];
  return kinds.flatMap((kind) => options.filter((one) => one.kind === kind))[0]?.optionId;
}

/** An agent may call its own turn cancelled when a permission was denied. */
const outcomeOf = (stop: StopReason): TurnOutcome => (stop === "end_turn" || stop === "cancelled" ? "done" : "failed");

function reasonOf(stop: StopReason): string | undefined {
  if (outcomeOf(stop) === "done") return undefined;
  if (stop === "refusal") return "the model refused";
  return stop === "max_tokens" ? "the answer reached the limit of its length" : `the agent stopped: ${stop}`;
}

const confirmed = (begin: (sent: () => void) => void): Promise<void> => new Promise((resolve) => begin(once(resolve)));

function once(call: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    call();
  };
}
