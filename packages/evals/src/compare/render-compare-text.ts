/**
 * - `renderCompareText(report, options)` the comparison for a terminal: the verdict, a table of suites, what broke, budgets,
 *   warnings; optionally with colours and word diffs of outputs.
 */
import { plainText, shortLine } from "@devflow/core/plain-text";
import type { BudgetFinding, CaseChange, CompareReport, SuiteReport, Verdict } from "./compare-report.ts";
import { percent, plural, pPhrase, pText, sideTitle, signedPoints, suiteTitle } from "./reason.ts";
import { wordDiff } from "./word-diff.ts";

export interface RenderTextOptions {
  readonly colour?: boolean;
  readonly diff?: boolean;
  /** Maximum number of cases listed per kind and suite. */
  readonly most?: number;
  /** Descriptions of the sides, if the caller has better ones than the report. */
  readonly about?: readonly string[];
  /** Width of the terminal. */
  readonly columns?: number;
}

const codes = { red: 31, green: 32, yellow: 33, dim: 2, bold: 1 } as const;
type Paint = (text: string, colour: keyof typeof codes) => string;

export function renderCompareText(report: CompareReport, options: RenderTextOptions = {}): string {
  const { colour = false, diff = false, most = 20, columns = 120 } = options;
  const paint: Paint = (text, name) => (colour ? `\u001b[${codes[name]}m${text}\u001b[0m` : text);
  const lines = [
    paint(shortLine(report.headline, 400), colourOf(report.verdict)),
    ...aboutLines(report, options.about ?? []).map((line) => paint(line, "dim")),
    "",
    ...suiteTable(report, paint),
  ];
  for (const suite of report.suites) lines.push("", ...suiteLines(suite, paint, { diff, most, columns }));
  if (report.warnings.length > 0) lines.push("");
  for (const { suite, text } of report.warnings) {
    lines.push(
      `${paint("warning", "yellow")}  ${suite === null ? "" : `${shortLine(suite, 120)}: `}${shortLine(text, 400)}`,
    );
  }
  return `${lines.join("\n")}\n`;
}

function aboutLines(report: CompareReport, about: readonly string[]): readonly string[] {
  if (about.length > 0) return about.map((line) => shortLine(line, 200));
  return [`A  ${shortLine(sideTitle(report.a), 120)}   B  ${shortLine(sideTitle(report.b), 120)}`];
}

function suiteTable({ suites }: CompareReport, paint: Paint): string[] {
  const rows = suites.map((suite) => [
    shortLine(suiteTitle(suite), 40),
    suite.verdict,
    suite.pass ? percent(suite.pass.rateA) : "—",
    suite.pass ? percent(suite.pass.rateB) : "—",
    suite.pass ? signedPoints(suite.pass.difference) : "—",
    suite.pass ? `${signedPoints(suite.pass.interval.low)} … ${signedPoints(suite.pass.interval.high)}` : "—",
    suite.pass ? pText(suite.pass.pAdjusted) : "—",
    String(suite.pairs.compared),
  ]);
  const head = ["suite", "verdict", "A", "B", "points", "95 % interval", "p", "cases"];
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column < 2 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join("  ");
  return [paint(line(head), "dim"), ...rows.map((row, i) => paint(line(row), colourOf(suites[i]!.verdict)))];
}

interface SuiteText {
  readonly diff: boolean;
  readonly most: number;
  readonly columns: number;
}

function suiteLines(suite: SuiteReport, paint: Paint, { diff, most, columns }: SuiteText): string[] {
  const lines = [
    paint(shortLine(suiteTitle(suite), 120), "bold"),
    ...picture(suite, paint),
    ...wrapped(shortLine(suite.reason, 600), columns),
  ];
  const widest = Math.min(60, Math.max(0, ...[...suite.broken, ...suite.fixed].map((one) => titleOf(one).length)));
  const list = (title: "broke" | "fixed", changes: readonly CaseChange[], colour: keyof typeof codes) => {
    const shown = changes.slice(0, most);
    for (const [at, change] of shown.entries()) {
      lines.push(`  ${paint(title, colour)}  ${titleOf(change).padEnd(widest)}  ${countsOf(change)}`);
      // A reason shared by several cases is shown once.
      const isTold = title === "fixed" || failureText(change) === failureText(shown[at + 1]);
      if (!isTold && change.failure) lines.push(...failureLines(change, paint));
      if (diff && change.outputA !== null && change.outputB !== null) lines.push(diffLine(change, paint));
    }
    if (changes.length > most) lines.push(paint(`  … and ${changes.length - most} more that ${title}`, "dim"));
  };
  list("broke", suite.broken, "red");
  list("fixed", suite.fixed, "green");
  for (const change of suite.wavering.slice(0, 5)) {
    lines.push(paint(`  flaky as before  ${titleOf(change)}  ${countsOf(change)}`, "dim"));
  }
  const failing = suite.removed.filter(({ passes, results, errors }) => passes < results || errors > 0);
  for (const { name, passes, results } of failing) {
    lines.push(`  ${paint("removed while failing", "yellow")}  ${shortLine(name, 120)}  ${passes}/${results}`);
  }
  const { added, removed, renamed } = suite.pairs;
  if (added + removed + renamed > 0) {
    const { raw, common, added: byAdded, removed: byRemoved } = suite.change;
    const split = `raw change ${signedPoints(raw)} = common ${signedPoints(common)}, added ${signedPoints(byAdded)}, removed ${signedPoints(byRemoved)}`;
    lines.push(`  ${plural(added, "case")} added, ${removed} removed, ${renamed} renamed; ${split}`);
  }
  for (const { a, b, reason } of suite.suggestions.slice(0, 5)) {
    lines.push(paint(`  possibly the same case (${reason}): ${shortLine(a, 60)} → ${shortLine(b, 60)}`, "dim"));
  }
  if (suite.quarantined.length > 0) {
    lines.push(`  quarantined, not counted: ${suite.quarantined.map((name) => shortLine(name, 60)).join(", ")}`);
  }
  if (suite.errors.a + suite.errors.b > 0) {
    const { a, b, p, verdictAsFailures } = suite.errors;
    lines.push(`  errors ${a} → ${b} (${pPhrase(p)}); with errors counted as failures: ${verdictAsFailures}`);
  }
  const measures = Math.max(
    ...suite.criteria.map(({ criterion }) => shortLine(criterion, 40).length),
    ...suite.budgets.map((budget) => budgetTitle(budget).length),
  );
  for (const { criterion, meanA, meanB, verdict, gates, pAdjusted, q } of suite.criteria) {
    const test = gates ? `${pPhrase(pAdjusted ?? 1)}` : `${pPhrase(q ?? 1, "q")}, shown only`;
    const title = shortLine(criterion, 40).padEnd(measures);
    lines.push(`  ${title}  ${meanA.toFixed(3)} → ${meanB.toFixed(3)}  ${verdict} (${test})`);
  }
  for (const budget of suite.budgets) {
    const line = `${budgetTitle(budget).padEnd(measures)}  ${budgetWords(budget)}`;
    lines.push(`  ${budget.verdict === "regression" ? paint(line, "yellow") : line}`);
  }
  if (suite.power && suite.verdict === "not enough data") lines.push(...wrapped(suite.power.text, columns));
  return lines;
}

/** Wraps at word boundaries, indented by two. */
function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + word.length + 3 > columns) {
      lines.push(`  ${line}`);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return line === "" ? lines : [...lines, `  ${line}`];
}

/** Both pass rates as bars of the same width. */
function picture({ pass }: SuiteReport, paint: Paint): string[] {
  if (!pass) return [];
  const width = 40;
  const line = (side: string, rate: number, colour: keyof typeof codes) => {
    const filled = Math.round(rate * width);
    const bar = `${paint("█".repeat(filled), colour)}${paint("·".repeat(width - filled), "dim")}`;
    return `  ${side} ${bar} ${percent(rate)}`;
  };
  const moved = pass.verdict === "regression" ? "red" : pass.verdict === "improvement" ? "green" : "dim";
  return [line("A", pass.rateA, "dim"), line("B", pass.rateB, moved)];
}

function titleOf({ name, renamedTo }: CaseChange): string {
  return `${shortLine(name, 60)}${renamedTo === null ? "" : ` (now ${shortLine(renamedTo, 40)})`}`;
}

function countsOf({ passesA, resultsA, passesB, resultsB, isProven }: CaseChange): string {
  return `${passesA}/${resultsA} → ${passesB}/${resultsB}${isProven ? "  proven" : ""}`;
}

const failureText = (change: CaseChange | undefined): string | null =>
  change?.failure ? JSON.stringify(change.failure) : null;

function failureLines({ failure }: CaseChange, paint: Paint): string[] {
  if (!failure) return [];
  const lines = [`         ${shortLine(failure.message, 160)}`];
  if (failure.expected !== null) lines.push(`         ${paint("expected", "dim")} ${shortLine(failure.expected, 150)}`);
  if (failure.actual !== null) lines.push(`         ${paint("actual", "dim")}   ${shortLine(failure.actual, 150)}`);
  return lines;
}

function diffLine({ outputA, outputB }: CaseChange, paint: Paint): string {
  const words = wordDiff(plainText(outputA ?? ""), plainText(outputB ?? "")).map(({ kind, text }) =>
    kind === "same" ? text : kind === "removed" ? paint(`[-${text}-]`, "red") : paint(`{+${text}+}`, "green"),
  );
  return words
    .join("")
    .split("\n")
    .map((line) => `         ${line}`)
    .join("\n");
}

export const budgetLine = (budget: BudgetFinding): string => `${budgetTitle(budget)}  ${budgetWords(budget)}`;

const budgetTitle = ({ measure }: BudgetFinding): string => (measure === "latency" ? "latency p50" : measure);

function budgetWords(budget: BudgetFinding): string {
  const { unit, valueA, valueB, ratio, interval, pAdjusted, verdict, notGatingBecause } = budget;
  const value = (one: number) =>
    unit === "USD" ? `$${one.toPrecision(3)}` : unit === "ms" ? `${Math.round(one)} ms` : one.toFixed(1);
  const range = interval ? ` (${interval.low.toFixed(2)} to ${interval.high.toFixed(2)}×)` : "";
  const test = pAdjusted === null ? "" : `, ${pPhrase(pAdjusted)}`;
  const why = notGatingBecause === null ? "" : `, shown only: ${notGatingBecause}`;
  return `${value(valueA)} → ${value(valueB)}  ${ratio.toFixed(2)}×${range}  ${verdict}${test}${why}`;
}

function colourOf(verdict: Verdict): keyof typeof codes {
  switch (verdict) {
    case "regression":
      return "red";
    case "improvement":
      return "green";
    case "not enough data":
      return "yellow";
    case "no evidence":
      return "bold";
  }
}
