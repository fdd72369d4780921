/**
 * Reads Claude Code's record of a session. Seen with 2.1.325:
 *
 * - Every turn ends with a `turn_duration`, one that a person or Devflow interrupted with a message of the user that says so.
 * - A message that was sent during a turn is an attachment (`queued_command`) when the turn takes it up.
 * - An answer of the model has one line per block, each with the usage of the whole answer.
 */
import { transcriptLines } from "../claude/transcript-lines.ts";
import { parsedLine, type RecordEvent, type RecordReader, type RecordUsage } from "./record-event.ts";

interface Message {
  readonly id?: string;
  readonly model?: string;
  readonly content?: unknown;
  readonly usage?: Readonly<Record<string, number | undefined>>;
}

export function claudeRecordReader(): RecordReader {
  let answer: string | undefined;
  let failure: string | undefined;

  const ofAssistant = (record: Readonly<Record<string, unknown>>): RecordEvent[] => {
    const message = (record.message ?? {}) as Message;
    failure = record.isApiErrorMessage === true ? textOf(message.content) : undefined;
    const isNew = message.id !== answer;
    answer = message.id;
    const used = isNew ? usageOf(message) : undefined;
    return [
      ...(used ? [{ kind: "usage", used } as const] : []),
      ...(record.isSidechain === true ? [] : [{ kind: "lines", lines: transcriptLines(record) } as const]),
    ];
  };

  const ofUser = (record: Readonly<Record<string, unknown>>): RecordEvent[] => {
    if (record.isSidechain === true || record.isMeta === true) return [];
    const text = textOf((record.message as Message | undefined)?.content);
    if (text === "") return [{ kind: "lines", lines: transcriptLines(record) }];
    if (text.startsWith("[Request interrupted by user")) return [{ kind: "turn_ended", outcome: "interrupted" }];
    failure = undefined;
    return [{ kind: "turn_started" }, { kind: "user_text", text }];
  };

  return (line) => {
    // Requests are recorded whole, with all earlier messages: most of the file, and nothing of use.
    if (line.startsWith('{"type":"api-request')) return [];
    const record = parsedLine(line);
    switch (record?.type) {
      case "assistant":
        return ofAssistant(record);
      case "user":
        return ofUser(record);
      case "attachment": {
        const { type, prompt } = record.attachment as { type: string; prompt?: unknown };
        return type === "queued_command" ? [{ kind: "user_text", text: textOf(prompt) }] : [];
      }
      case "system":
        if (record.subtype !== "turn_duration") return [];
        return failure === undefined
          ? [{ kind: "turn_ended", outcome: "done" }]
          : [{ kind: "turn_ended", outcome: "failed", reason: failure.slice(0, 500) }];
      default:
        return [];
    }
  };
}

function usageOf({ model, usage }: Message): RecordUsage | undefined {
  if (!usage || model === undefined || model === "<synthetic>") return undefined;
  return {
    model,
    inputTokens: usage.input_tokens ?? 0,
    outputTokens: usage.output_tokens ?? 0,
    cacheReadTokens: usage.cache_read_input_tokens ?? 0,
    cacheWriteTokens: usage.cache_creation_input_tokens ?? 0,
  };
}

/** Texts only: the result of a tool is a message of the user too. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return (content as { type?: string; text?: string }[])
    .flatMap(({ type, text }) => (type === "text" && text !== undefined ? [text] : []))
    .join("\n");
}
