/**
 * Claude Code behind pipes: lines of JSON both ways (`--input-format stream-json`).
 *
 * Its hooks come over the same pipes: `UserPromptSubmit` with the envelope's id confirms a prompt, and `Stop` asks whether
 * the turn may end. Permissions come as `can_use_tool` requests. See `Wire` for the contract.
 */
import { randomUUID } from "node:crypto";
import { sessionFolder } from "../folder/session-folder.ts";
import { type LineProcess, startLineProcess } from "../holder/line-process.ts";
import type { MakeWire, Wire } from "../holder/wire.ts";
import { claudeOptions } from "./claude-arguments.ts";
import { findHistory, historyHas } from "./claude-history.ts";
import { type UsageByModel, usageSince } from "./claude-usage.ts";
import { describeTool } from "./describe-tool.ts";
import { transcriptLines } from "./transcript-lines.ts";

type Message = Readonly<Record<string, unknown>>;

interface ControlRequest {
  readonly subtype: string;
  readonly callback_id?: string;
  readonly input?: Record<string, unknown>;
  readonly tool_name?: string;
}

interface Waiting {
  /** What the confirmed prompt contains. */
  readonly text: string;
  resolve(): void;
}

const pipes = ["-p", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json"];
const hooks = { UserPromptSubmit: [{ hookCallbackIds: ["submit"] }], Stop: [{ hookCallbackIds: ["stop"] }] };

export const claudeWire: MakeWire = (host): Wire => {
  let agent: LineProcess | undefined;
  let used: UsageByModel = {};
  let requests = 0;
  let isInterrupted = false;
  /** Messages that the agent has not confirmed yet. */
  const unconfirmed: Waiting[] = [];
  const permissions = new Map<string, Record<string, unknown>>();
  const answered = new Map<string, (response: Message) => void>();

  const request = (body: Message): Promise<Message> => {
    requests += 1;
    const id = `devflow-${requests}`;
    const answer = new Promise<Message>((resolve) => answered.set(id, resolve));
    agent?.send({ type: "control_request", request_id: id, request: body });
    return answer;
  };
  const respond = (id: unknown, response: object) =>
    agent?.send({ type: "control_response", response: { subtype: "success", request_id: id, response } });

  const onRequest = async (id: string, body: ControlRequest) => {
    if (body.subtype === "can_use_tool") {
      const input = body.input ?? {};
      permissions.set(id, input);
      const tool = body.tool_name ?? "a tool";
      host.permission({ permissionId: id, tool, ...describeTool(tool, input, host.start.cwd) });
    } else if (body.subtype === "hook_callback" && body.callback_id === "stop") {
      const words = isInterrupted ? undefined : await host.mayEndTurn();
      respond(id, words === undefined ? {} : { decision: "block", reason: words });
    } else if (body.subtype === "hook_callback") {
      confirm(String(body.input?.prompt ?? ""));
      respond(id, {});
    }
  };

  const confirm = (prompt: string) => {
    const index = unconfirmed.findIndex(({ text }) => prompt.includes(text));
    if (index < 0) return;
    unconfirmed[index]?.resolve();
    unconfirmed.splice(index, 1);
  };

  const onResult = (message: Message) => {
    const now = (message.modelUsage ?? {}) as UsageByModel;
    for (const turn of usageSince(used, now)) host.usage(turn);
    used = now;
    permissions.clear();
    // A person's message that came too late for this turn begins the next one: the agent is not idle yet.
    if (unconfirmed.length > 0 && !isInterrupted) return;
    const reason = failureOf(message);
    if (isInterrupted) host.turnEnded("interrupted");
    else host.turnEnded(reason === undefined ? "done" : "failed", reason);
  };

  const onLine = (message: Message) => {
    switch (message.type) {
      case "control_request":
        void onRequest(String(message.request_id), message.request as ControlRequest);
        return;
      case "control_cancel_request":
        permissions.delete(String(message.request_id));
        host.permissionGone(String(message.request_id));
        return;
      case "control_response": {
        const response = message.response as { request_id: string };
        answered.get(response.request_id)?.(response);
        answered.delete(response.request_id);
        return;
      }
      case "result":
        onResult(message);
        return;
      case "system":
        onSystem(message);
        return;
      default:
        host.activity(String(message.type));
        for (const line of transcriptLines(message)) host.output(line);
    }
  };

  const onSystem = ({ subtype, ...message }: Message) => {
    if (subtype !== "api_retry") return;
    const words = `the model's provider answered ${message.error_status ?? "nothing"}`;
    host.output(`Waiting: ${words}; trying again in ${Number(message.retry_delay_ms ?? 0) / 1000} s`);
    if (message.error_status !== 429) return host.activity("retrying");
    host.rateLimited(words, new Date(Date.now() + Number(message.retry_delay_ms ?? 0)));
  };

  /** Resolves when the agent's own hook has seen the text. */
  const deliver = (text: string, mark: string): Promise<void> => {
    const confirmed = new Promise<void>((resolve) => unconfirmed.push({ text: mark, resolve }));
    const message = { role: "user", content: [{ type: "text", text }] };
    agent?.send({ type: "user", message, parent_tool_use_id: null, session_id: "" });
    return confirmed;
  };

  return {
    async open() {
      const known = host.agentSessionId;
      const isKnown = known !== undefined && (await findHistory(host.env, known)) !== undefined;
      const id = isKnown ? known : randomUUID();
      const { command, cwd } = host.start;
      const readable = [sessionFolder(host.root).instructions];
      const options = claudeOptions(host.start, isKnown ? { resume: id } : { create: id }, readable);
      agent = await startLineProcess({
        command: [...command, ...pipes, "--permission-prompt-tool", "stdio", ...options],
        cwd,
        env: host.env,
        onLine,
        onNoise: (line) => host.output(line),
        onExit: (reason) => host.ended(reason),
      });
      host.started(agent.pid);
      await request({ subtype: "initialize", hooks });
      return { agentSessionId: id };
    },

    async wasReceived(uuid) {
      const path = host.agentSessionId && (await findHistory(host.env, host.agentSessionId));
      return path ? await historyHas(path, uuid) : false;
    },

    async prompt(text, uuid) {
      isInterrupted = false;
      await deliver(text, `DEVFLOW_PROMPT_BEGIN ${uuid}`);
    },

    say: (text) => deliver(text, text),

    async interrupt() {
      isInterrupted = true;
      permissions.clear();
      await request({ subtype: "interrupt" });
    },

    async answer(permissionId, answer) {
      const input = permissions.get(permissionId);
      if (!input) return;
      permissions.delete(permissionId);
      respond(
        permissionId,
        answer === "allow"
          ? { behavior: "allow", updatedInput: input }
          : { behavior: "deny", message: "A person denied this. Do not try it in another way." },
      );
    },

    async close() {
      await agent?.end();
    },
  };
};

/** An API failure is a `success` with `is_error`; only these fields tell. */
function failureOf(message: Message): string | undefined {
  if (message.is_error !== true && message.subtype === "success") return undefined;
  const status = message.api_error_status;
  if (typeof status === "number") return `the model's provider answered ${status}`;
  const said = typeof message.result === "string" ? message.result : String(message.subtype);
  return said.slice(0, 500);
}
