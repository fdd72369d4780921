/**
 * The text of a run's pull request: what was asked and done, the evidence, what it cost, and the head of the chain. Pure.
 *
 * - `renderPullRequest(report, extra)` Markdown, between the marks that a later update replaces.
 *
 * What people and agents wrote stands in code blocks and code spans, so none of it can become a heading, a link, a mention, a
 * reference that closes an issue, or a sentence of Devflow.
 */

import { plainLine, plainText } from "@devflow/core/plain-text";
import { shortId } from "@devflow/core/short-id";
import { markedPart } from "@devflow/forge";
import type { FinalReport } from "../reports/compose-report.ts";

export interface PullRequestExtra {
  /** What the agents say they changed. */
  readonly summary: string | undefined;
  /** Whether the branch is what the log says. */
  readonly branch: { readonly ok: boolean; readonly detail: string };
  /** The head of the chain in the signed report. */
  readonly head: string;
  /** The issue that the run was started with. */
  readonly issueUrl: string | undefined;
}

type Row = FinalReport["phases"][number];

const mostQuoted = 6_000;
const mostRows = 50;

export function renderPullRequest(report: FinalReport, extra: PullRequestExtra): string {
  const { issueUrl, summary } = extra;
  const sections = [
    report.status === "completed" ? "" : `**The run ${report.status}.** ${code(report.failureReason ?? "")}`,
    `## What was asked\n\n${block(String(report.inputs.requirementsMd ?? ""))}`,
    issueUrl === undefined ? "" : `${report.status === "completed" ? "Closes" : "For"} ${issueUrl}`,
    `## What was done\n\n${summary ? `In the agents' own words:\n\n${block(summary)}\n\n` : ""}${changed(report)}`,
    `## Evidence\n\n${evidence(report, extra)}`,
    findings(report.findings),
    table(
      "Phases",
      ["phase", "state", "attempts"],
      report.phases.map((one) => [one.title, one.state, one.attempts]),
    ),
    table(
      "Left open",
      ["what", ""],
      report.unresolved.map((one) => [one.kind, one.summary]),
    ),
    `## Cost\n\n${cost(report)}`,
    proof(report, extra),
  ];
  return markedPart(sections.filter(Boolean).join("\n\n"));
}

function changed({ diff }: FinalReport): string {
  if (!diff) return "";
  return `${counted(diff.files, "file")} changed, ${counted(diff.insertions, "line")} added, ${diff.deletions} removed.`;
}

function evidence({ commands, approvals, findings: found }: FinalReport, { branch }: PullRequestExtra): string {
  const tests = commands.filter((one) => one.kind === "test" || one.phase !== null);
  const last = new Map(tests.map((one) => [JSON.stringify(one.argv), one]));
  const lines = [...last.values()].map((one) => {
    const runs = tests.filter((other) => JSON.stringify(other.argv) === JSON.stringify(one.argv)).length;
    const times = runs > 1 ? `, the last of ${runs} times` : "";
    return `- ${code((one.argv as string[]).join(" "))} ${one.exitCode === 0 ? "passed" : `failed (${one.failure ?? `exit code ${one.exitCode}`})`}${times}`;
  });
  const count = (test: (one: Row) => boolean) => found.filter(test).length;
  const fates = [
    [count((one) => Boolean(one.resolved)), "fixed"],
    [count((one) => !one.resolved && one.waiver !== null), "waived"],
    [count((one) => !one.resolved && one.waiver === null && one.verifierStatus === "rejected"), "refuted"],
    [count((one) => !one.resolved && one.waiver === null && one.verifierStatus !== "rejected"), "open"],
  ] as const;
  const fate = fates.flatMap(([number, word]) => (number > 0 ? [`${number} ${word}`] : [])).join(", ");
  const review =
    found.length === 0
      ? "- Reviewers found nothing."
      : `- Reviewers found ${counted(found.length, "problem")}: ${fate}.`;
  const decided = approvals.flatMap((one) => {
    const decision = one.decision as { action: string; actor: { name?: string; userId: string | null } } | null;
    return decision
      ? [
          `- ${code(one.gate)}: ${decision.action.replaceAll("_", " ")} by ${code(decision.actor.name ?? decision.actor.userId ?? "?")}`,
        ]
      : [];
  });
  const tip = `- ${branch.ok ? "The branch" : "**The branch is not what the log says:** it"} ${code(branch.detail)}`;
  return [...lines, review, ...decided, tip].join("\n");
}

function findings(found: readonly Row[]): string {
  const rows = found.map((one) => [one.severity, `${one.file ?? "-"}:${one.line ?? "-"}`, one.summary, verdictOn(one)]);
  return table("Findings", ["severity", "where", "what", "verdict"], rows);
}

function verdictOn({ resolved, waiver, verifierStatus }: Row): unknown {
  if (resolved || !waiver) return resolved ? "fixed" : verifierStatus;
  const { reason, by } = waiver as { reason: string | null; by: { name?: string; userId: string | null } };
  return `waived by ${by.name ?? by.userId ?? "?"}: ${reason ?? ""}`;
}

function cost({ cost: spent, bindings }: FinalReport): string {
  const agents = bindings.map((one) => `${one.role} = ${one.persona} (${one.backend})`).join(", ");
  const usd = spent.usd === null ? "" : `, ${Number(spent.usd).toFixed(2)} USD`;
  return `${spent.inputTokens} tokens in, ${spent.outputTokens} out${usd}.${agents ? ` Agents: ${code(agents)}` : ""}`;
}

function proof({ runId, template }: FinalReport, { head }: PullRequestExtra): string {
  return [
    "---",
    `Devflow run ${code(runId)}, template ${code(template)}. Head of its event chain: ${code(head)}.`,
    `Check it on the machine of the run: \`devflow run verify ${shortId(runId)}\``,
  ].join("\n");
}

function table(title: string, head: readonly string[], rows: readonly (readonly unknown[])[]): string {
  if (rows.length === 0) return "";
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const shown = rows.slice(0, mostRows).map((row) => line(row.map((cell) => code(cell))));
  const more = rows.length > mostRows ? [`\n${rows.length - mostRows} more are in the run's report.`] : [];
  return [`## ${title}\n`, line(head), line(head.map(() => "---")), ...shown, ...more].join("\n");
}

/** One line as a code span that also works in a table. */
function code(value: unknown): string {
  const text = plainLine(String(value ?? ""))
    .replaceAll("`", "'")
    .replaceAll("|", "\\|");
  if (text === "") return "";
  return `\`${text.length > 500 ? `${text.slice(0, 500).toWellFormed()}…` : text}\``;
}

/** Text as it is: the fence is longer than any in it, and long lines are wrapped, because a code block does not. */
function block(text: string): string {
  const clean = plainText(text).trim();
  const kept = clean.slice(0, mostQuoted).toWellFormed();
  const lines = kept.split("\n").flatMap(wrapped);
  const longest = Math.max(2, ...[...kept.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  const more = clean.length > kept.length ? `\n\n${clean.length - kept.length} more characters are in the run.` : "";
  return `${fence}text\n${lines.join("\n")}\n${fence}${more}`;
}

function wrapped(line: string): string[] {
  return line.match(/.{1,120}(?:\s+|$)|\S{1,120}/gu)?.map((part) => part.trimEnd()) ?? [""];
}

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;
