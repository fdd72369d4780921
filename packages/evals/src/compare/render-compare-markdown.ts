/**
 * - `renderCompareMarkdown(report, options)` a comment for a pull request: the verdict, what broke with expected and actual,
 *   the interval in words, cost and latency; the rest is folded. It starts with `compareCommentMarker`, by which the comment is
 *   found and replaced. Untrusted text is put in code, where it is inert; the comment stays below GitHub's size limit.
 */
import { plainText } from "@devflow/core/plain-text";
import type { BudgetFinding, CaseChange, CompareReport, SuiteReport } from "./compare-report.ts";
import { codeBlock, codeSpan, htmlCode, plainMarkdown as plain } from "./inert-text.ts";
import { percent, plural, points, pPhrase, pText, sideTitle, signedPoints, suiteTitle } from "./reason.ts";
import { budgetLine } from "./render-compare-text.ts";
import { wordDiff } from "./word-diff.ts";

export const compareCommentMarker = "<!-- devflow-eval-compare -->";

export interface RenderMarkdownOptions {
  readonly diff?: boolean;
  /** How many reasons for broken cases are shown unfolded. */
  readonly most?: number;
  /** GitHub refuses more than 65,536 characters. */
  readonly longest?: number;
  /** Descriptions of the sides, if the caller has better ones than the report. */
  readonly about?: readonly string[];
  /** Additional findings, one sentence each. */
  readonly notes?: readonly string[];
}

export function renderCompareMarkdown(report: CompareReport, options: RenderMarkdownOptions = {}): string {
  const { diff = false, most = 5, longest = 60_000 } = options;
  const head = [compareCommentMarker, `### Evals: ${titleOf(report)}`, ""];
  if (!report.isCompared) head.push("**Nothing was compared**, so there may be regressions.", "");
  const open = [
    ...sidesOf(report, options.about ?? []),
    "",
    ...report.suites.flatMap((suite) => suiteOpen(suite, most)),
    ...(options.notes ?? []).map((note) => `- ${plain(note)}`),
    ...report.warnings.map(
      ({ suite, text }) => `- Warning: ${suite === null ? "" : `${codeSpan(suite, 60)}: `}${plain(text)}`,
    ),
  ];
  const folded = report.suites.flatMap((suite) => suiteFolded(suite, diff));
  return fit(head, open, folded, longest);
}

function sidesOf(report: CompareReport, about: readonly string[]): string[] {
  if (about.length > 0) return about.map((line) => `- ${codeSpan(line.replace(/\s+/g, " "), 160)}`);
  return [`A ${codeSpan(sideTitle(report.a))} → B ${codeSpan(sideTitle(report.b))}`];
}

/** Leaves out whole blocks from the end, so that no fence or fold stays open. */
function fit(head: readonly string[], open: readonly string[], folded: readonly string[], longest: number): string {
  const kept = [...head];
  let length = kept.join("\n").length;
  let left = 0;
  for (const block of [...open, "", ...folded]) {
    if (left === 0 && length + block.length + 1 <= longest - 200) {
      kept.push(block);
      length += block.length + 1;
    } else left++;
  }
  if (left > 0)
    kept.push("", `_Shortened: ${plural(left, "part")} left out. Full report: \`devflow eval compare --json\`._`);
  return `${kept.join("\n").trimEnd()}\n`;
}

function titleOf({ verdict, suites, isCompared }: CompareReport): string {
  if (!isCompared) return "nothing compared";
  const of = suites.filter((suite) => suite.verdict === verdict).length;
  return suites.length === 1 ? verdict : `${verdict} (${of} of ${suites.length} suites)`;
}

function suiteOpen(suite: SuiteReport, most: number): string[] {
  const blocks = [`**${codeSpan(suiteTitle(suite), 80)}: ${suite.verdict}.** ${inWords(suite)}`, ""];
  if (suite.broken.length > 0) {
    blocks.push(`**${plural(suite.broken.length, "case")} broke:**`, "");
    const reasons = [...Map.groupBy(suite.broken, ({ failure }) => JSON.stringify(failure)).values()];
    blocks.push(...reasons.slice(0, most).map(brokenBlock));
    const left = reasons.slice(most).reduce((sum, changes) => sum + changes.length, 0);
    if (left > 0) blocks.push(`- … and ${left} more, listed below`);
    blocks.push("");
  }
  const failing = suite.removed.filter(({ passes, results, errors }) => passes < results || errors > 0);
  if (failing.length > 0) {
    const names = failing.slice(0, 20).map(({ name }) => codeSpan(name, 60));
    const more = failing.length > 20 ? ` and ${failing.length - 20} more` : "";
    blocks.push(`**Removed while failing:** ${names.join(", ")}${more}`, "");
  }
  const budgets = suite.budgets.filter(({ verdict }) => verdict === "regression" || verdict === "improvement");
  if (budgets.length > 0) blocks.push(...budgets.map((one) => `- ${plain(budgetLine(one))}`), "");
  return blocks;
}

function inWords(suite: SuiteReport): string {
  const { pass, verdict } = suite;
  if (!pass || suite.pairs.compared === 0) return plain(suite.reason);
  const rates = `${percent(pass.rateA)} → ${percent(pass.rateB)} of ${plural(pass.cases, "case")}`;
  const { low, high } = pass.interval;
  const range =
    low < 0 && high > 0
      ? `95 % interval: ${points(low)} points worse to ${points(high)} better`
      : high <= 0
        ? `95 % interval: ${points(high)} to ${points(low)} points worse`
        : `95 % interval: ${points(low)} to ${points(high)} points better`;
  const fixed = suite.fixed.length > 0 ? ` ${plural(suite.fixed.length, "case")} fixed.` : "";
  const power = verdict === "not enough data" && suite.power ? ` ${suite.power.text}` : "";
  const lost =
    suite.pairs.lostToErrors > 0 ? ` ${plain(`${suite.pairs.lostToErrors} cases were lost to errors.`)}` : "";
  return `Pass rate ${rates} (${signedPoints(pass.difference)} points; ${range}; ${pPhrase(pass.pAdjusted)}).${fixed}${lost}${power}`;
}

/** Cases that broke for the same reason form one block, with the reason once. */
function brokenBlock(changes: readonly CaseChange[]): string {
  const named = changes.slice(0, 8).map(({ name, renamedTo, passesA, resultsA, passesB, resultsB, isProven }) => {
    const rename = renamedTo === null ? "" : ` (now ${codeSpan(renamedTo, 60)})`;
    const counts = `${passesA}/${resultsA} → ${passesB}/${resultsB}${isProven ? ", proven on its own" : ""}`;
    return `- ${codeSpan(name)}${rename} ${counts}`;
  });
  if (changes.length > 8) named.push(`- … and ${changes.length - 8} more for the same reason`);
  const failure = changes[0]?.failure;
  if (!failure) return named.join("\n");
  return [
    ...named,
    `  ${codeSpan(failure.message, 200)}`,
    ...(failure.expected === null ? [] : [`  - expected ${codeSpan(failure.expected, 200)}`]),
    ...(failure.actual === null ? [] : [`  - actual ${codeSpan(failure.actual, 200)}`]),
  ].join("\n");
}

function suiteFolded(suite: SuiteReport, diff: boolean): string[] {
  const blocks: string[] = [];
  const fold = (title: string, body: readonly string[]) => {
    if (body.length > 0) blocks.push(`<details><summary>${title}</summary>\n\n${body.join("\n")}\n\n</details>`, "");
  };
  const label = htmlCode(suiteTitle(suite));
  fold(`${label}: cases broken and fixed`, changesTable([...suite.broken, ...suite.fixed].slice(0, 200)));
  if (diff) {
    for (const change of suite.broken.slice(0, 10)) {
      if (change.outputA !== null && change.outputB !== null) {
        fold(`Output of ${htmlCode(change.name)}`, [codeBlock(diffText(change), "diff")]);
      }
    }
  }
  fold(`${label}: criteria and budgets`, [
    ...suite.criteria.map(
      ({ criterion, meanA, meanB, verdict, gates, pAdjusted, q }) =>
        `- ${codeSpan(criterion, 60)} ${meanA.toFixed(3)} → ${meanB.toFixed(3)}: ${verdict} (${gates ? `${pPhrase(pAdjusted ?? 1)}` : `${pPhrase(q ?? 1, "q")}, shown only`})`,
    ),
    ...suite.budgets.map((one: BudgetFinding) => `- ${plain(budgetLine(one))}`),
  ]);
  const { added, removed, renamed } = suite.pairs;
  if (added + removed + renamed > 0) {
    const names = (title: string, list: readonly string[]) =>
      list.length === 0
        ? []
        : [
            `- ${title}: ${list
              .slice(0, 50)
              .map((name) => codeSpan(name, 60))
              .join(", ")}`,
          ];
    const { raw, common, added: byAdded, removed: byRemoved } = suite.change;
    fold(`${label}: ${added} added, ${removed} removed, ${renamed} renamed`, [
      `- raw change ${signedPoints(raw)} points = common ${signedPoints(common)}, added ${signedPoints(byAdded)}, removed ${signedPoints(byRemoved)}`,
      ...names(
        "added",
        suite.added.map(({ name }) => name),
      ),
      ...names(
        "removed",
        suite.removed.map(({ name }) => name),
      ),
      ...names(
        "renamed",
        suite.renamed.map(({ from, to }) => `${from} → ${to}`),
      ),
      ...names(
        "possibly the same",
        suite.suggestions.map(({ a, b }) => `${a} → ${b}`),
      ),
    ]);
  }
  return blocks;
}

function changesTable(changes: readonly CaseChange[]): string[] {
  if (changes.length === 0) return [];
  const rows = changes.map(
    ({ name, passesA, resultsA, passesB, resultsB, p, pAdjusted }) =>
      `| ${codeSpan(name, 80)} | ${passesA}/${resultsA} | ${passesB}/${resultsB} | ${pText(p)} | ${pText(pAdjusted)} |`,
  );
  return ["| case | A | B | p of the case | p of all cases (Holm) |", "|---|---|---|---|---|", ...rows];
}

/** Lines for GitHub's diff colours: removed, then added. */
function diffText({ outputA, outputB }: CaseChange): string {
  return wordDiff(plainText(outputA ?? ""), plainText(outputB ?? ""))
    .map(({ kind, text }) => {
      const mark = kind === "same" ? " " : kind === "removed" ? "-" : "+";
      return text
        .split("\n")
        .map((line) => `${mark} ${line}`)
        .join("\n");
    })
    .join("\n");
}
