/** What an agent's own record of its session says, in the words of all agents. Each agent has a reader of its lines. */
import type { TurnOutcome } from "../adapter.ts";

export interface RecordUsage {
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

export type RecordEvent =
  | { readonly kind: "turn_started" }
  | { readonly kind: "turn_ended"; readonly outcome: TurnOutcome; readonly reason?: string }
  /** A message of the user that became part of the conversation. */
  | { readonly kind: "user_text"; readonly text: string }
  /** Of one answer of the model. */
  | { readonly kind: "usage"; readonly used: RecordUsage }
  /** Under which rules the turn runs, see `TerminalAgent.mode`. */
  | { readonly kind: "mode"; readonly mode: string }
  | { readonly kind: "lines"; readonly lines: readonly string[] };

/** Reads one line after the other; may remember what came before. */
export type RecordReader = (line: string) => readonly RecordEvent[];

/** Undefined for a line that was cut by a kill. */
export function parsedLine(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
