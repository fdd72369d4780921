/**
 * Formats verdicts, money, times and shares for the terminal.
 *
 * - `share(part, whole)` `93.3 %`; `bar(parts, width)` coloured blocks; `money(line)` actual, estimated and unpriced cost.
 * - `ago(at, nowMs)` `3 h ago`; `duration(ms)` `1.2 s`; `shortSha`, `shortRun`.
 */
import type { RunLine } from "@devflow/evals/store";
import { passRateOf } from "@devflow/protocol/eval-enums";
import type { Colour, Paint } from "../paint.ts";

export const shortSha = (sha: string | null): string => (sha === null ? "" : sha.slice(0, 8));

/** The first characters of an id, enough to find the run: for a UUID its millisecond, for a hash eight digits. */
export function shortRun(runId: string, longest = 20): string {
  if (/^[0-9a-f]{8}-[0-9a-f]{4}-/.test(runId)) return runId.slice(0, 13);
  return runId.slice(0, /^[0-9a-f]{16}$/.test(runId) ? 8 : longest);
}

export function share(part: number, whole: number): string {
  return whole === 0 ? "—" : percent(part / whole);
}

/** The one pass rate: passed of those that passed or failed. Errors and skipped results say nothing about quality. */
export function passShare(totals: Pick<RunLine, "passed" | "failed">): string {
  const rate = passRateOf(totals);
  return rate === null ? "—" : percent(rate);
}

export const percent = (value: number): string => `${(value * 100).toFixed(1)} %`;

export function points(difference: number): string {
  const text = Math.abs(difference * 100).toFixed(1);
  return text === "0.0" ? "±0.0" : `${difference < 0 ? "−" : "+"}${text}`;
}

export interface BarPart {
  readonly count: number;
  readonly colour: Colour;
  readonly mark: string;
}

/** Whole blocks only; a part above zero gets at least one. */
export function bar(parts: readonly BarPart[], width: number, paint: Paint): string {
  const total = parts.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return paint("·".repeat(width), "dim");
  const cells = parts.map(({ count }) => (count === 0 ? 0 : Math.max(1, Math.round((count / total) * width))));
  const largest = cells.indexOf(Math.max(...cells));
  cells[largest] = Math.max(1, (cells[largest] ?? 0) + width - cells.reduce((sum, cell) => sum + cell, 0));
  return parts.map(({ colour, mark }, at) => paint(mark.repeat(cells[at] ?? 0), colour)).join("");
}

export type Tally = Pick<RunLine, "passed" | "failed" | "errors" | "skipped">;

export function tallyBar({ passed, failed, errors, skipped }: Tally, width: number, paint: Paint): string {
  return bar(
    [
      { count: passed, colour: "green", mark: "█" },
      { count: failed, colour: "red", mark: "▒" },
      { count: errors, colour: "yellow", mark: "░" },
      { count: skipped, colour: "dim", mark: "·" },
    ],
    width,
    paint,
  );
}

/** `118 passed, 2 failed, 1 error`. */
export function tallyWords({ passed, failed, errors, skipped }: Tally, paint: Paint = (text) => text): string {
  return [
    paint(`${passed} passed`, "green"),
    ...(failed > 0 ? [paint(`${failed} failed`, "red")] : []),
    ...(errors > 0 ? [paint(`${errors} ${errors === 1 ? "error" : "errors"}`, "yellow")] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ].join(", ");
}

export function usd(value: number): string {
  if (value === 0) return "$0";
  return `$${value.toFixed(value >= 1 ? 2 : value >= 0.01 ? 3 : 5)}`;
}

/** Empty if the run recorded no usage. */
export function money(line: Pick<RunLine, "actualUsd" | "estimatedUsd" | "unpricedCalls">): string {
  return [
    ...(line.actualUsd > 0 ? [usd(line.actualUsd)] : []),
    ...(line.estimatedUsd > 0 ? [`~${usd(line.estimatedUsd)}`] : []),
    ...(line.unpricedCalls > 0 ? ["unpriced"] : []),
  ].join(" + ");
}

const spans = [
  { ms: 86_400_000, word: "d" },
  { ms: 3_600_000, word: "h" },
  { ms: 60_000, word: "min" },
] as const;

export function span(ms: number): string {
  const found = spans.find((one) => ms >= one.ms);
  return found ? `${Math.floor(ms / found.ms)} ${found.word}` : `${Math.max(0, Math.round(ms / 1000))} s`;
}

export const ago = (at: string, nowMs: number): string => `${span(Math.max(0, nowMs - Date.parse(at)))} ago`;

export function duration(ms: number | null): string {
  if (ms === null) return "";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
