/** `runText(stored, page, context)`: one run for a terminal: counts as a bar, failures, cost. */

import type { CommandContext } from "@devflow/core/command";
import { shortLine } from "@devflow/core/plain-text";
import type { ResultPage, RunSummary } from "@devflow/evals";
import type { PageRow, StoredRun } from "@devflow/evals/store";
import { passRateOf } from "@devflow/protocol/eval-enums";
import { type Paint, painter } from "../paint.ts";
import { textTable } from "../text-table.ts";
import { ago, bar, duration, money, passShare, percent, shortSha, tallyBar, tallyWords, usd } from "./words.ts";

export function runText({ line, record }: StoredRun, page: ResultPage, context: CommandContext): string {
  const paint = painter(context);
  const { summary, run } = record;
  const width = Math.min(60, context.output.columns - 4);
  const facts = [
    line.tier,
    line.label,
    line.model ?? "",
    line.gitSha ? `commit ${shortSha(line.gitSha)}` : "",
    line.attempt > 1 && line.gitSha ? `attempt ${line.attempt}` : "",
    ago(line.at, Date.now()),
  ].filter(Boolean);
  return [
    `${paint(shortLine(line.suite, 120), "bold")}  ${shortLine(facts.join(" · "), 200)}`,
    paint(`${shortLine(line.runId, 80)}${run.source === "devflow" ? "" : ` from ${shortLine(run.source, 40)}`}`, "dim"),
    "",
    `  ${tallyBar(line, width, paint)}`,
    `  ${passShare(line)}  ${tallyWords(line, paint)}`,
    `  ${paint(moneyAndTime(line, summary), "dim")}`,
    ...section("Categories", categoryLines(summary, paint)),
    ...section("Scores", scoreLines(summary, paint)),
    ...section("Failures, grouped", clusterLines(summary, paint)),
    ...section(
      `Failures and errors${page.matching > page.rows.length ? `, ${page.rows.length} of ${page.matching}` : ""}`,
      caseLines(page.rows, context.output.columns, paint),
    ),
    ...section(
      "Warnings",
      record.warnings.slice(0, 10).map((warning) => `  ${shortLine(warning, 200)}`),
    ),
    "",
    paint(`One case: devflow eval show ${shortLine(line.runId, 80)} <case>`, "dim"),
  ].join("\n");
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ["", title, ...lines];

function moneyAndTime(line: StoredRun["line"], { durations, cachedResults }: RunSummary): string {
  return [
    money(line) || "no usage recorded",
    line.durationMs === null ? "" : `took ${duration(line.durationMs)}`,
    durations ? `per result p50 ${duration(durations.p50Ms)}, p95 ${duration(durations.p95Ms)}` : "",
    cachedResults > 0 ? `${cachedResults} from cache` : "",
  ]
    .filter(Boolean)
    .join(" · ");
}

/** Lowest pass rate first. */
function categoryLines({ categories }: RunSummary, paint: Paint): string[] {
  const rows = Object.entries(categories)
    .map(([name, totals]) => ({ name, totals, rate: passRateOf(totals) ?? 0 }))
    .sort((a, b) => a.rate - b.rate || (a.name < b.name ? -1 : 1))
    .slice(0, 20)
    .map(({ name, totals }) => [
      `  ${shortLine(name, 30)}`,
      tallyBar(totals, 20, paint),
      passShare(totals),
      `${totals.passed}/${totals.total}`,
    ]);
  return rows.length === 0 ? [] : table(rows);
}

function scoreLines({ criteria }: RunSummary, paint: Paint): string[] {
  const rows = Object.entries(criteria).map(([name, { mean, min, max, count }]) => [
    `  ${shortLine(name, 30)}`,
    mean >= 0 && mean <= 1 ? bar(scale(mean), 20, paint) : "",
    mean.toFixed(3),
    paint(`${min.toFixed(2)}–${max.toFixed(2)} in ${count}`, "dim"),
  ]);
  return rows.length === 0 ? [] : table(rows.slice(0, 20));
}

const scale = (mean: number) => [
  { count: Math.round(mean * 100), colour: "cyan" as const, mark: "█" },
  { count: Math.round((1 - mean) * 100), colour: "dim" as const, mark: "·" },
];

function clusterLines({ failures }: RunSummary, paint: Paint): string[] {
  const largest = failures[0]?.count ?? 1;
  return failures.slice(0, 8).map(({ message, count, cases }) => {
    const length = Math.max(1, Math.round((count / largest) * 10));
    return `  ${String(count).padStart(4)} ${paint("▒".repeat(length).padEnd(10), "red")} ${shortLine(message, 60)}${count === 1 ? paint(`  ${shortLine(cases[0] ?? "", 30)}`, "dim") : ""}`;
  });
}

function caseLines(rows: readonly PageRow[], columns: number, paint: Paint): string[] {
  if (rows.length === 0) return [];
  const names = Math.min(40, Math.max(...rows.map(({ name }) => name.length)));
  const room = Math.max(16, columns - names - 33);
  const cells = rows.map((row) => [
    `  ${row.status === "error" ? paint("error", "yellow") : paint("fail", "red")}`,
    `${shortLine(row.name, 40)}${row.repeat > 0 ? ` #${row.repeat + 1}` : ""}`,
    row.score === null ? "" : percent(row.score),
    row.usd === null ? "" : usd(row.usd),
    shortLine(row.problem ?? "", room),
  ]);
  return table(cells);
}

function table(rows: readonly (readonly string[])[]): string[] {
  const columns = (rows[0] ?? []).map((_, at) => ({
    title: "",
    align: at === 2 || at === 3 ? ("right" as const) : ("left" as const),
  }));
  return textTable(columns, rows).split("\n");
}
