/** What a person would have seen on the agent's screen, from a message of Claude Code. */
import { toolCallLines } from "../tool-call-lines.ts";

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly name?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly content?: unknown;
}

const mostLines = 40;

export function transcriptLines(message: Readonly<Record<string, unknown>>): string[] {
  if (message.type !== "assistant" && message.type !== "user") return [];
  const { content } = (message.message ?? {}) as { content?: unknown };
  const blocks = Array.isArray(content) ? (content as Block[]) : [];
  return blocks.flatMap((block) => linesOf(block, message.type === "assistant"));
}

function linesOf(block: Block, isAgent: boolean): string[] {
  switch (block.type) {
    case "text":
      return isAgent ? (block.text ?? "").split("\n") : [];
    case "tool_use":
      return toolCallLines(`${block.name} ${shortInput(block.input ?? {})}`);
    case "tool_result":
      return shortened(textOf(block.content)).map((line) => `  ${line}`);
    default:
      return [];
  }
}

function shortInput(input: Readonly<Record<string, unknown>>): string {
  const named = input.command ?? input.file_path ?? input.pattern ?? input.url ?? input.description;
  return typeof named === "string" ? named : JSON.stringify(input).slice(0, 200);
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return (content as Block[]).flatMap(({ text }) => (text === undefined ? [] : [text])).join("\n");
}

function shortened(text: string): string[] {
  const lines = text.split("\n");
  return lines.length <= mostLines ? lines : [...lines.slice(0, mostLines), `… ${lines.length - mostLines} more lines`];
}
