/**
 * What a person would have seen on the agent's screen, from its updates. Text comes in pieces and is shown in whole lines.
 *
 * - `add(update)` returns the lines that are complete; `flush()` what is left at the end of a turn.
 */
import type { SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk";
import { toolCallLines } from "../tool-call-lines.ts";

export interface Transcript {
  add(update: SessionUpdate): string[];
  flush(): string[];
}

const mostLines = 40;

export function createTranscript(): Transcript {
  let rest = "";
  const flush = (): string[] => {
    const lines = rest === "" ? [] : [rest];
    rest = "";
    return lines;
  };
  return {
    add(update) {
      if (update.sessionUpdate !== "agent_message_chunk") return [...flush(), ...linesOf(update)];
      const [...lines] = (rest + (update.content.type === "text" ? update.content.text : "")).split("\n");
      rest = lines.pop() ?? "";
      return lines;
    },
    flush,
  };
}

function linesOf(update: SessionUpdate): string[] {
  switch (update.sessionUpdate) {
    case "tool_call":
      return toolCallLines(update.title);
    case "tool_call_update":
      return update.status === "completed" || update.status === "failed"
        ? shortened((update.content ?? []).flatMap(textOf)).map((line) => `  ${line}`)
        : [];
    case "plan":
      return update.entries.map(({ status, content }) => `  [${status === "completed" ? "x" : " "}] ${content}`);
    default:
      return [];
  }
}

function textOf(content: ToolCallContent): string[] {
  if (content.type === "diff") return [content.path];
  if (content.type === "content" && content.content.type === "text") return content.content.text.trim().split("\n");
  return [];
}

const shortened = (lines: readonly string[]): string[] =>
  lines.length <= mostLines ? [...lines] : [...lines.slice(0, mostLines), `… ${lines.length - mostLines} more lines`];
