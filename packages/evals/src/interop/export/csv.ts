/** CSV for spreadsheets: strings as they are, everything else as JSON, and no cell that a spreadsheet would run as a formula. */

import type { EvalResult } from "../../results/result.ts";
import { defused } from "../formula.ts";
import { asText, type Exporter } from "./exporter.ts";

const columns: readonly (readonly [title: string, cell: (result: EvalResult) => unknown])[] = [
  ["name", (result) => result.name],
  ["category", (result) => result.category],
  ["status", (result) => result.status],
  ["repeat", (result) => result.repeat],
  ["scores", (result) => (Object.keys(result.scores).length === 0 ? null : result.scores)],
  ["failures", (result) => result.failures.map((failure) => failure.message).join("\n")],
  ["expected", (result) => result.failures[0]?.expected],
  ["error", (result) => result.error],
  ["input", (result) => result.input],
  ["output", (result) => result.output],
  ["duration_ms", (result) => result.durationMs],
  ["turns", (result) => result.turns],
  ["model", (result) => result.usage[0]?.model],
  ["input_tokens", (result) => sum(result, "inputTokens")],
  ["output_tokens", (result) => sum(result, "outputTokens")],
  ["cost_usd", costOf],
  ["tags", (result) => result.tags.join("|")],
  ["input_sha", (result) => result.inputSha],
  ["expectations_sha", (result) => result.expectationsSha],
];

export const csvExport: Exporter = {
  id: "csv",
  title: "CSV",
  extension: ".csv",
  carried: [
    "one row per result: name, category, verdict, repeat, scores, first expectation, error, input, output, duration, tokens, cost",
  ],
  lost: [
    "data about the run",
    "details of failures other than their messages",
    "cache tokens, usage of a second model, comparison and extra members",
  ],
  async *write(_run, results) {
    yield row(columns.map(([title]) => title));
    for await (const result of results) yield row(columns.map(([, cell]) => asText(cell(result))));
  },
};

function row(cells: readonly string[]): string {
  return `${cells.map((cell) => quoted(defused(cell))).join(",")}\r\n`;
}

function quoted(cell: string): string {
  return /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function sum(result: EvalResult, of: "inputTokens" | "outputTokens"): number | null {
  return result.usage.length === 0 ? null : result.usage.reduce((total, usage) => total + usage[of], 0);
}

/** One unpriced call makes the sum unknown. */
function costOf(result: EvalResult): number | null {
  if (result.usage.length === 0 || result.usage.some((usage) => usage.costUsd === null)) return null;
  return result.usage.reduce((total, usage) => total + (usage.costUsd ?? 0), 0);
}
