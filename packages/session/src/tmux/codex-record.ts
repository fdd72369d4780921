/**
 * Reads Codex's record of a thread (its rollout file). Seen with 0.166: it tells how every turn ended, also one that
 * failed on errors of the model, for which no hook is called.
 */
import { toolCallLines } from "../tool-call-lines.ts";
import { parsedLine, type RecordEvent, type RecordReader, type RecordUsage } from "./record-event.ts";

type Payload = Readonly<Record<string, unknown>>;

/** The name of the permissions that a session may define for itself. */
export const codexPermissions = "devflow";
const mostLines = 40;

export function codexRecordReader(): RecordReader {
  let model = "unknown";

  return (line) => {
    const record = parsedLine(line);
    const payload = (record?.payload ?? {}) as Payload;
    switch (record?.type) {
      case "turn_context":
        model = String(payload.model ?? model);
        return [{ kind: "mode", mode: codexMode(payload) }];
      case "token_usage_record":
        return [{ kind: "usage", used: usageOf(model, payload.usage as Readonly<Record<string, number | undefined>>) }];
      case "event_msg":
        return ofEvent(payload);
      case "response_item":
        return ofItem(payload);
      default:
        return [];
    }
  };
}

/** The approvals, and our own permissions or else the sandbox. */
function codexMode(payload: Payload): string {
  const { type } = (payload.sandbox_policy ?? {}) as { type?: string };
  const { id } = (payload.active_permission_profile ?? {}) as { id?: string };
  return `${payload.approval_policy} ${id === codexPermissions ? id : type}`;
}

function ofEvent(payload: Payload): RecordEvent[] {
  switch (payload.type) {
    case "task_started":
      return [{ kind: "turn_started" }];
    case "turn_aborted":
      return [{ kind: "turn_ended", outcome: "interrupted" }];
    case "task_complete": {
      const error = payload.error as { message?: string } | null | undefined;
      return error
        ? [{ kind: "turn_ended", outcome: "failed", reason: (error.message ?? "it gave no reason").slice(0, 500) }]
        : [{ kind: "turn_ended", outcome: "done" }];
    }
    default:
      return [];
  }
}

function ofItem(payload: Payload): RecordEvent[] {
  switch (payload.type) {
    case "message": {
      const text = textOf(payload.content);
      if (payload.role === "assistant") return [{ kind: "lines", lines: text.split("\n") }];
      return payload.role === "user" ? [{ kind: "user_text", text }] : [];
    }
    case "function_call":
      return [{ kind: "lines", lines: toolCallLines(`${payload.name} ${commandOf(payload.arguments)}`) }];
    case "custom_tool_call":
      return [{ kind: "lines", lines: [`● ${payload.name}`, ...shortened(String(payload.input ?? ""))] }];
    case "function_call_output":
    case "custom_tool_call_output":
      return [{ kind: "lines", lines: shortened(String(payload.output ?? "")) }];
    default:
      return [];
  }
}

/** Its input counts tokens from a cache too. */
function usageOf(model: string, usage: Readonly<Record<string, number | undefined>> = {}): RecordUsage {
  const cacheReadTokens = usage.cached_input_tokens ?? 0;
  const cacheWriteTokens = usage.cache_write_input_tokens ?? 0;
  return {
    model,
    inputTokens: (usage.input_tokens ?? 0) - cacheReadTokens - cacheWriteTokens,
    outputTokens: usage.output_tokens ?? 0,
    cacheReadTokens,
    cacheWriteTokens,
  };
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return "";
  return (content as { text?: string }[]).flatMap(({ text }) => (text === undefined ? [] : [text])).join("\n");
}

function commandOf(given: unknown): string {
  const text = String(given);
  const { cmd } = parsedLine(text) ?? {};
  return typeof cmd === "string" ? cmd : text.slice(0, 200);
}

function shortened(text: string): string[] {
  const lines = text.trimEnd().split("\n");
  const shown =
    lines.length <= mostLines ? lines : [...lines.slice(0, mostLines), `… ${lines.length - mostLines} more lines`];
  return shown.map((line) => `  ${line}`);
}
