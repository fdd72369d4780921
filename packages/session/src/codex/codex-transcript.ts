/** What a person would have seen on the agent's screen, from an item of Codex's thread. */
import { toolCallLines } from "../tool-call-lines.ts";

export interface CodexItem {
  readonly type: string;
  readonly id: string;
  readonly clientId?: string | null;
  readonly text?: string;
  readonly command?: string;
  readonly aggregatedOutput?: string | null;
  readonly exitCode?: number | null;
  readonly status?: string;
  readonly changes?: readonly { readonly path: string; readonly kind: { readonly type: string } }[];
  readonly content?: readonly { readonly text?: string }[] | readonly string[];
}

const mostLines = 40;

/** For an item that is complete. */
export function codexTranscript(item: CodexItem): string[] {
  switch (item.type) {
    case "agentMessage":
    case "plan":
      return (item.text ?? "").split("\n");
    case "commandExecution":
      return [
        ...toolCallLines(item.command ?? ""),
        ...shortened(item.aggregatedOutput ?? "").map((line) => `  ${line}`),
        ...outcome(item),
      ];
    case "fileChange":
      return [...(item.changes ?? []).map(({ path, kind }) => `● ${kind.type} ${path}`), ...outcome(item)];
    default:
      return [];
  }
}

function outcome({ status, exitCode }: CodexItem): string[] {
  if (status === "completed" || status === undefined) return [];
  return [typeof exitCode === "number" ? `  exit code ${exitCode}` : `  ${status}`];
}

function shortened(text: string): string[] {
  const lines = text.replace(/\n$/, "").split("\n");
  if (lines.length === 1 && lines[0] === "") return [];
  return lines.length <= mostLines ? lines : [...lines.slice(0, mostLines), `… ${lines.length - mostLines} more lines`];
}
