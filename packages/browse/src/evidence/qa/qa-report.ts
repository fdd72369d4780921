/**
 * A QA report: what was tested and proven, the findings, the health score, and what changed since the baseline.
 *
 * - `makeReport(given)` pure: the report as data.
 * - `reportMarkdown(report)` the report as Markdown.
 */
import { basename } from "node:path";
import { z } from "zod";
import { Comparison } from "../comparison.ts";
import { categories, Finding, findingKey, severities } from "./finding.ts";
import { healthScore, weights } from "./health-score.ts";
import type { Observed } from "./observed.ts";

const score = z.number().min(0).max(100).nullable();

export const QaReport = z.object({
  version: z.literal(1),
  id: z.string(),
  at: z.iso.datetime(),
  url: z.string().nullable(),
  commit: z.string().nullable(),
  branch: z.string().nullable(),
  changedFiles: z.number(),
  /** The evidence bundle; null means that nothing in the report is proven. */
  evidence: z.object({ bundle: z.string(), head: z.string(), commands: z.number() }).nullable(),
  score,
  scores: z.record(z.enum(categories), score),
  findings: z.array(Finding),
  consoleErrors: z.array(z.string()),
  failedRequests: z.array(z.string()),
  withoutEffect: z.array(z.string()),
  pages: z.array(z.string()),
  /** Pages compared with pictures. `picture` shows what differs; it is beside the report. */
  comparisons: z.array(Comparison.extend({ page: z.string(), picture: z.string().nullable() })).default([]),
  baseline: z
    .object({
      id: z.string(),
      at: z.string(),
      score,
      gone: z.array(z.string()),
      fresh: z.array(z.string()),
    })
    .nullable(),
});
export type QaReport = z.output<typeof QaReport>;

export interface ReportInput {
  readonly id: string;
  readonly at: Date;
  readonly url: string | undefined;
  readonly commit: string | null;
  readonly branch: string | null;
  readonly changedFiles: number;
  readonly evidence: QaReport["evidence"];
  readonly findings: readonly Finding[];
  readonly observed: Observed | undefined;
  readonly baseline: QaReport | undefined;
}

export function makeReport(given: ReportInput): QaReport {
  const { findings, observed, baseline } = given;
  const health = healthScore(findings, observed);
  const order = (finding: Finding) => severities.indexOf(finding.severity) + (finding.fixed ? 10 : 0);
  return {
    version: 1,
    id: given.id,
    at: given.at.toISOString(),
    url: given.url ?? observed?.pages[0] ?? null,
    commit: given.commit,
    branch: given.branch,
    changedFiles: given.changedFiles,
    evidence: given.evidence,
    score: health.total ?? null,
    scores: Object.fromEntries(categories.map((name) => [name, health.byCategory[name] ?? null])) as QaReport["scores"],
    findings: findings.toSorted((a, b) => order(a) - order(b)),
    consoleErrors: [...(observed?.consoleErrors ?? [])],
    failedRequests: [...(observed?.failedRequests ?? [])],
    withoutEffect: [...(observed?.withoutEffect ?? [])],
    pages: [...(observed?.pages ?? [])],
    comparisons: (observed?.comparisons ?? []).map((one) => ({
      ...one,
      picture: one.picture && basename(one.picture),
    })),
    baseline: baseline ? compareWith(baseline, findings) : null,
  };
}

function compareWith(baseline: QaReport, findings: readonly Finding[]): QaReport["baseline"] {
  const open = (some: readonly Finding[]) => some.filter(({ fixed }) => !fixed);
  const keys = (some: readonly Finding[]) => new Set(open(some).map(findingKey));
  const [before, now] = [keys(baseline.findings), keys(findings)];
  return {
    id: baseline.id,
    at: baseline.at,
    score: baseline.score,
    gone: open(baseline.findings)
      .filter((one) => !now.has(findingKey(one)))
      .map(({ title }) => title),
    fresh: open(findings)
      .filter((one) => !before.has(findingKey(one)))
      .map(({ title }) => title),
  };
}

export function reportMarkdown(report: QaReport): string {
  const { evidence, baseline, findings } = report;
  const open = findings.filter(({ fixed }) => !fixed);
  const sections = [
    `# QA report: ${line(report.url ?? "no page")}`,
    facts(report),
    `## Health: ${report.score ?? "not tested"}${report.score === null ? "" : " of 100"}`,
    scoreTable(report),
    ...(baseline ? [baselineText(report)] : []),
    `## Findings: ${open.length} open, ${findings.length - open.length} fixed`,
    ...findings.map(findingText),
    ...list("Console errors in the evidence", report.consoleErrors),
    ...list("Failed requests in the evidence", report.failedRequests),
    ...list("Actions without a visible effect", report.withoutEffect),
    ...comparisonsText(report.comparisons),
    ...list("Pages", report.pages),
    evidence
      ? `## Evidence\n\n\`${evidence.bundle}\`, ${evidence.commands} commands, ends with \`${evidence.head}\`. Replay it:\n\n\`\`\`sh\ndevflow browse verify ${evidence.bundle} --head ${evidence.head}\n\`\`\``
      : "## Evidence\n\nNone: nothing in this report is proven. Record it with `devflow browse evidence start`.",
  ];
  return `${sections.join("\n\n")}\n`;
}

function facts({ at, commit, branch, changedFiles }: QaReport): string {
  const where = commit ? `commit \`${commit.slice(0, 12)}\`${branch ? ` on ${line(branch)}` : ""}` : "no commit";
  return `${at}, ${where}${changedFiles > 0 ? `, ${changedFiles} changed files` : ""}.`;
}

function scoreTable({ scores }: QaReport): string {
  const rows = categories.map((name) => `| ${name} | ${scores[name] ?? "not tested"} | ${weights[name]} |`);
  return ["| category | score | weight |", "|---|---|---|", ...rows].join("\n");
}

function baselineText({ baseline, score: now }: QaReport): string {
  if (!baseline) return "";
  const before = baseline.score;
  const change = before === null || now === null ? "" : ` (${now - before >= 0 ? "+" : ""}${now - before})`;
  const part = (title: string, some: readonly string[]) => `${title}: ${some.map(line).join("; ") || "none"}`;
  return [
    `## Since the baseline of ${baseline.at}`,
    `Score ${before ?? "-"} → ${now ?? "-"}${change}.`,
    part("Gone", baseline.gone),
    part("New", baseline.fresh),
  ].join("\n\n");
}

function findingText(finding: Finding, index: number): string {
  const part = (title: string, text: string | undefined) => (text ? [`- ${title}: ${line(text)}`] : []);
  return [
    `### ${index + 1}. ${line(finding.title)}`,
    "",
    `- ${finding.severity}, ${finding.category}${finding.fixed ? ", fixed" : ""}`,
    ...part("where", finding.url),
    ...finding.steps.map((step, number) => `- step ${number + 1}: ${line(step)}`),
    ...part("expected", finding.expected),
    ...part("actual", finding.actual),
    ...finding.screenshots.map((path) => `- screenshot: ${line(path)}`),
  ].join("\n");
}

function comparisonsText(comparisons: QaReport["comparisons"]): string[] {
  if (comparisons.length === 0) return [];
  const differing = comparisons.filter(({ same }) => !same);
  const parts = comparisons.map(({ page, baseline, same, percent, isOtherSize, picture }) => {
    const size = isOtherSize ? "; the sizes differ" : "";
    const result = same ? "looks the same" : `${percent.toFixed(2)} % of the pixels differ${size}`;
    const name = basename(baseline);
    const shown = picture && !same ? `\n\n![What differs from ${line(name)}, in red](${encodeURI(picture)})` : "";
    return `- ${line(page)}, compared with ${line(name)}: ${result}${shown}`;
  });
  return [`## Compared pictures: ${differing.length} of ${comparisons.length} differ\n\n${parts.join("\n")}`];
}

function list(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`## ${title}\n\n${lines.map((text) => `- ${line(text)}`).join("\n")}`];
}

/** Puts text from pages and agents on one line and escapes Markdown. */
function line(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[<>`|[\]*_\\]/g, "\\$&");
}
