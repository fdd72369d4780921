/**
 * A result as a row of a page, short enough that fifty rows are at most 60 kB.
 *
 * - `pageRow(result, indexed)`.
 */
import type { EvalResult, ResultStatus } from "../results/result.ts";
import type { IndexedResult } from "./index-queries.ts";

export interface PageRow {
  readonly ordinal: number;
  readonly caseKey: string;
  readonly name: string;
  readonly category: string | null;
  readonly status: ResultStatus;
  readonly repeat: number;
  readonly durationMs: number | null;
  readonly turns: number | null;
  readonly cached: boolean;
  readonly usd: number | null;
  /** The mean of all scores. */
  readonly score: number | null;
  /** The first few scores; `scoreCount` is the total. */
  readonly scores: Readonly<Record<string, number>>;
  readonly scoreCount: number;
  readonly preview: string | null;
  /** The error, or the first failure. */
  readonly problem: string | null;
  readonly failureCount: number;
}

const shownScores = 6;

export function pageRow(result: EvalResult, { ordinal, caseKey, usd, score }: IndexedResult): PageRow {
  const scores = Object.entries(result.scores);
  return {
    ordinal,
    caseKey,
    name: cut(result.name, 160),
    category: result.category === null ? null : cut(result.category, 60),
    status: result.status,
    repeat: result.repeat,
    durationMs: result.durationMs,
    turns: result.turns,
    cached: result.cached,
    usd,
    score,
    scores: Object.fromEntries(scores.slice(0, shownScores).map(([name, value]) => [cut(name, 40), value])),
    scoreCount: scores.length,
    preview: previewOf(result),
    problem: problemOf(result),
    failureCount: result.failures.length,
  };
}

function previewOf({ responsePreview, output }: EvalResult): string | null {
  if (responsePreview !== null) return cut(responsePreview, 140);
  if (typeof output === "string") return cut(output, 140);
  const response = (output as { response?: unknown } | null)?.response;
  return typeof response === "string" ? cut(response, 140) : null;
}

function problemOf({ error, failures }: EvalResult): string | null {
  const text = error ?? failures[0]?.message ?? null;
  return text === null ? null : cut(text, 180);
}

/** Cuts by bytes rather than characters, so that a page of Chinese names fits too; never in the middle of a character. */
function cut(text: string, bytes: number): string {
  if (text.length * 3 <= bytes) return text;
  const whole = Buffer.from(text.slice(0, bytes + 1));
  if (whole.length <= bytes && text.length <= bytes) return text;
  let end = Math.min(bytes - 3, whole.length);
  while (end > 0 && ((whole[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${whole.subarray(0, end).toString("utf8")}…`;
}
