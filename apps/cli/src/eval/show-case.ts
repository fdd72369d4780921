/** `caseText(line, results, history, context)`: one case of a run with its output, failures and history. */

import type { CommandContext } from "@devflow/core/command";
import { plainText, shortLine } from "@devflow/core/plain-text";
import type { EvalFailure, EvalResult } from "@devflow/evals";
import { sparkline } from "@devflow/evals/compare";
import type { HistoryPoint, RunLine } from "@devflow/evals/store";
import { type Paint, painter } from "../paint.ts";
import { ago, duration, plural, share, shortSha } from "./words.ts";

const statusColours = { pass: "green", fail: "red", error: "yellow", skipped: "dim" } as const;

export function caseText(
  line: RunLine,
  results: readonly EvalResult[],
  history: readonly HistoryPoint[],
  context: CommandContext,
): string {
  const paint = painter(context);
  const name = shortLine(results[0]?.name ?? "", 120);
  const lines = [`${paint(name, "bold")}  ${shortLine(line.suite, 60)} · ${line.tier}`];
  const of = history.filter(({ runId }) => runId === line.runId).length;
  for (const result of results) lines.push("", ...resultLines(result, of, paint));
  if (of > results.length) lines.push("", paint(`… and ${of - results.length} more repeats`, "dim"));
  lines.push("", ...historyLines(history, paint));
  return lines.join("\n");
}

function resultLines(result: EvalResult, of: number, paint: Paint): string[] {
  const facts = [
    paint(result.status, statusColours[result.status]),
    of > 1 ? `repeat ${result.repeat + 1} of ${of}` : "",
    duration(result.durationMs),
    result.turns === null ? "" : `${result.turns} turns`,
    result.cached ? "from a cache" : "",
  ].filter(Boolean);
  const scores = Object.entries(result.scores).map(([name, score]) => `${shortLine(name, 40)} ${score.toFixed(2)}`);
  return [
    facts.join(" · "),
    ...(scores.length > 0 ? [`  ${scores.join(" · ")}`] : []),
    ...(result.error === null ? [] : [`  ${paint(shortLine(result.error, 400), "yellow")}`]),
    ...result.failures.slice(0, 20).flatMap((failure) => failureLines(failure, paint)),
    ...block("input", result.input, paint),
    ...block("output", result.output, paint),
  ];
}

function failureLines(failure: EvalFailure, paint: Paint): string[] {
  const kind = failure.criterion ?? failure.expectationType;
  return [
    `  ${paint("✗", "red")} ${kind ? `${shortLine(kind, 40)}: ` : ""}${shortLine(failure.message, 300)}`,
    ...(failure.expected === null ? [] : [`    expected ${shortLine(textOf(failure.expected), 300)}`]),
    ...(failure.actual === null ? [] : [`    actual   ${shortLine(textOf(failure.actual), 300)}`]),
  ];
}

function block(title: string, value: unknown, paint: Paint): string[] {
  if (value === null || value === undefined) return [];
  const lines = plainText(textOf(value)).slice(0, 4000).split("\n");
  const shown = lines.slice(0, 40).map((line) => `  ${paint("│", "dim")} ${line}`);
  if (lines.length > 40) shown.push(`  ${paint(`│ … ${lines.length - 40} more lines: --json`, "dim")}`);
  return [`  ${paint(title, "dim")}`, ...shown];
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  const response = (value as { response?: unknown } | null)?.response;
  if (typeof response === "string" && Object.keys(value as object).length === 1) return response;
  return JSON.stringify(value, null, 2);
}

/** One bar per run, oldest first. */
function historyLines(history: readonly HistoryPoint[], paint: Paint): string[] {
  const runs = [...Map.groupBy(history, ({ runId }) => runId).values()].reverse();
  const passes = (points: readonly HistoryPoint[]) => points.filter(({ status }) => status === "pass").length;
  const decided = (points: readonly HistoryPoint[]) =>
    points.filter(({ status }) => status === "pass" || status === "fail").length;
  const bars = runs.slice(-60).map((points) => ({
    passRate: decided(points) === 0 ? null : passes(points) / decided(points),
    breakBefore: null,
  }));
  const all = history.filter(({ status }) => status === "pass" || status === "fail");
  const nowMs = Date.now();
  const last = runs.slice(-5).reverse();
  return [
    `History  ${paint(sparkline(bars), "cyan")}  ${passes(all)} of ${all.length} passed (${share(passes(all), all.length)}) in ${plural(runs.length, "run")}`,
    ...last.map((points) => {
      const [point] = points;
      const words = `${passes(points)}/${points.length}  ${shortSha(point?.gitSha ?? null) || "—"}  ${shortLine(point?.label ?? "", 30)}`;
      return paint(`  ${words}  ${point ? ago(point.at, nowMs) : ""}`, "dim");
    }),
  ];
}
