/**
 * - `renderCompareText(report, options)` the comparison for a terminal: the verdict first, a table of suites, what broke,
 *   budgets, warnings. Colour and the word diff of outputs on request.
 */
import type { BudgetFinding, CaseChange, CompareReport, SuiteReport, Verdict } from "./compare-report.ts";
import { oneLine, visible } from "./inert-text.ts";
import { percent, plural, pPhrase, pText, sideTitle, signedPoints, suiteTitle } from "./reason.ts";
import { wordDiff } from "./word-diff.ts";

export interface RenderTextOptions {
  readonly colour?: boolean;
  readonly diff?: boolean;
  /** Most cases listed of a kind in a suite. */
  readonly most?: number;
  /** What the sides are, when the caller knows more of them than the report does. */
  readonly about?: readonly string[];
  /** How many characters fit on a line. */
  readonly columns?: number;
}

const codes = { red: 31, green: 32, yellow: 33, dim: 2, bold: 1 } as const;
type Paint = (text: string, colour: keyof typeof codes) => string;

export function renderCompareText(report: CompareReport, options: RenderTextOptions = {}): string {
  const { colour = false, diff = false, most = 20 } = options;
  const paint: Paint = (text, name) => (colour ? `\u001b[${codes[name]}m${text}\u001b[0m` : text);
  const lines = [
    paint(oneLine(report.headline, 400), colourOf(report.verdict)),
    ...aboutLines(report, options.about ?? []).map((line) => paint(line, "dim")),
    "",
    ...suiteTable(report, paint),
  ];
  for (const suite of report.suites) lines.push("", ...suiteLines(suite, paint, { diff, most }));
  if (report.warnings.length > 0) lines.push("");
  for (const { suite, text } of report.warnings) {
    lines.push(`${paint("warning", "yellow")}  ${suite === null ? "" : `${oneLine(suite)}: `}${oneLine(text, 400)}`);
  }
  return `${lines.join("\n")}\n`;
}

export function aboutLines(report: CompareReport, about: readonly string[]): readonly string[] {
  if (about.length > 0) return about.map((line) => oneLine(line, 200));
  return [`A  ${oneLine(sideTitle(report.a))}   B  ${oneLine(sideTitle(report.b))}`];
}

function suiteTable({ suites }: CompareReport, paint: Paint): string[] {
  const rows = suites.map((suite) => [
    oneLine(suiteTitle(suite), 40),
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

function suiteLines(suite: SuiteReport, paint: Paint, { diff, most }: { diff: boolean; most: number }): string[] {
  const lines = [paint(oneLine(suiteTitle(suite)), "bold"), `  ${oneLine(suite.reason, 400)}`];
  const list = (title: string, changes: readonly CaseChange[], colour: keyof typeof codes) => {
    for (const change of changes.slice(0, most)) {
      lines.push(`  ${paint(title, colour)}  ${changeLine(change)}`);
      if (title === "broke" && change.failure) lines.push(...failureLines(change));
      if (diff && change.outputA !== null && change.outputB !== null) lines.push(diffLine(change, paint));
    }
    if (changes.length > most) lines.push(paint(`  … and ${changes.length - most} more that ${title}`, "dim"));
  };
  list("broke", suite.broken, "red");
  list("fixed", suite.fixed, "green");
  const failing = suite.removed.filter(({ passes, results, errors }) => passes < results || errors > 0);
  for (const { name, passes, results } of failing) {
    lines.push(`  ${paint("removed while failing", "yellow")}  ${oneLine(name)}  ${passes}/${results}`);
  }
  const { added, removed, renamed } = suite.pairs;
  if (added + removed + renamed > 0) {
    const { raw, common, added: byAdded, removed: byRemoved } = suite.change;
    const split = `raw change ${signedPoints(raw)} = common ${signedPoints(common)}, added ${signedPoints(byAdded)}, removed ${signedPoints(byRemoved)}`;
    lines.push(`  ${plural(added, "case")} added, ${removed} removed, ${renamed} renamed; ${split}`);
  }
  for (const { a, b, reason } of suite.suggestions.slice(0, 5)) {
    lines.push(paint(`  perhaps the same case (${reason}): ${oneLine(a, 60)} → ${oneLine(b, 60)}`, "dim"));
  }
  if (suite.quarantined.length > 0) {
    lines.push(`  in quarantine, not counted: ${suite.quarantined.map((name) => oneLine(name, 60)).join(", ")}`);
  }
  if (suite.errors.a + suite.errors.b > 0) {
    const { a, b, p, verdictAsFailures } = suite.errors;
    lines.push(`  errors ${a} → ${b} (${pPhrase(p)}); with errors as failures: ${verdictAsFailures}`);
  }
  for (const { criterion, meanA, meanB, verdict, gates, pAdjusted, q } of suite.criteria) {
    const test = gates ? `${pPhrase(pAdjusted ?? 1)}` : `${pPhrase(q ?? 1, "q")}, shown only`;
    lines.push(`  ${oneLine(criterion, 40)}  ${meanA.toFixed(3)} → ${meanB.toFixed(3)}  ${verdict} (${test})`);
  }
  for (const budget of suite.budgets) lines.push(`  ${budgetLine(budget)}`);
  if (suite.power && suite.verdict === "not enough data") lines.push(`  ${suite.power.text}`);
  return lines;
}

function changeLine({ name, renamedTo, passesA, resultsA, passesB, resultsB, isProven }: CaseChange): string {
  const rename = renamedTo === null ? "" : ` (now ${oneLine(renamedTo, 60)})`;
  const proof = isProven ? "  proven by itself" : "";
  return `${oneLine(name, 80)}${rename}  ${passesA}/${resultsA} → ${passesB}/${resultsB}${proof}`;
}

function failureLines({ failure }: CaseChange): string[] {
  if (!failure) return [];
  const lines = [`           ${oneLine(failure.message, 160)}`];
  if (failure.expected !== null) lines.push(`           expected ${oneLine(failure.expected, 150)}`);
  if (failure.actual !== null) lines.push(`           actual   ${oneLine(failure.actual, 150)}`);
  return lines;
}

function diffLine({ outputA, outputB }: CaseChange, paint: Paint): string {
  const words = wordDiff(visible(outputA ?? ""), visible(outputB ?? "")).map(({ kind, text }) =>
    kind === "same" ? text : kind === "removed" ? paint(`[-${text}-]`, "red") : paint(`{+${text}+}`, "green"),
  );
  return words
    .join("")
    .split("\n")
    .map((line) => `           ${line}`)
    .join("\n");
}

export function budgetLine(budget: BudgetFinding): string {
  const { measure, unit, valueA, valueB, ratio, interval, pAdjusted, verdict, notGatingBecause } = budget;
  const value = (one: number) =>
    unit === "USD" ? `$${one.toPrecision(3)}` : unit === "ms" ? `${Math.round(one)} ms` : one.toFixed(1);
  const range = interval ? ` (${interval.low.toFixed(2)} to ${interval.high.toFixed(2)}×)` : "";
  const test = pAdjusted === null ? "" : `, ${pPhrase(pAdjusted)}`;
  const why = notGatingBecause === null ? "" : `, shown only: ${notGatingBecause}`;
  const title = measure === "latency" ? "latency p50" : measure;
  return `${title}  ${value(valueA)} → ${value(valueB)}  ${ratio.toFixed(2)}×${range}  ${verdict}${test}${why}`;
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
