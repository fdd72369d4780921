/** The report as Markdown, for people: what happened, who decided, what is left. */
import type { FinalReport } from "./compose-report.ts";

export function renderReport(report: FinalReport): string {
  const sections = [
    `# ${plain(report.title)}`,
    `**${report.status}**${report.failureReason ? `: ${plain(report.failureReason)}` : ""}`,
    facts(report),
    table(
      "Phases",
      ["phase", "state", "attempts", "reason"],
      report.phases.map((one) => [one.title, one.state, one.attempts, one.reason ?? ""]),
    ),
    table(
      "Lanes",
      ["lane", "task", "state", "tries", "merge", "reason"],
      (report.lanes ?? []).map((one) => [
        one.lane,
        one.title,
        one.state,
        one.tries,
        String(one.commit ?? "").slice(0, 10),
        one.reason ?? "",
      ]),
    ),
    table(
      "Decisions",
      ["gate", "verdict", "by", "comment"],
      report.approvals.map((one) => {
        const decision = one.decision as {
          action: string;
          comment: string | null;
          actor: { userId: string | null; via: string; name?: string };
        } | null;
        return [
          one.gate,
          decision?.action ?? one.state,
          decision ? `${decision.actor.name ?? decision.actor.userId ?? "?"} (${decision.actor.via})` : "",
          decision?.comment ?? "",
        ];
      }),
    ),
    table(
      "Findings",
      ["severity", "where", "what", "verdict"],
      report.findings.map((one) => [
        one.severity,
        `${one.file ?? "-"}:${one.line ?? "-"}`,
        one.summary,
        findingVerdict(one),
      ]),
    ),
    table(
      "Audit",
      ["severity", "who", "what", "rule", "seen"],
      // Reports of earlier versions have none.
      (report.audit ?? []).map((one) => [
        one.severity,
        one.role ?? "-",
        `\`${one.detail}\``,
        `${one.rule}: ${one.reason}`,
        auditOutcome(one),
      ]),
    ),
    table(
      "Commands",
      ["command", "exit code"],
      report.commands.map((one) => [`\`${(one.argv as string[]).join(" ")}\``, one.exitCode ?? one.failure]),
    ),
    table(
      "Artifacts",
      ["phase", "attempt", "file", "schema", "valid"],
      report.artifacts.map((one) => [
        one.phase,
        one.attempt,
        // Its path is in the JSON; the Markdown has only its name.
        String(one.path).replace(/^.*\//, ""),
        one.schema,
        one.valid ? "yes" : "no",
      ]),
    ),
    list(
      "Left open",
      report.unresolved.map((one) => `${one.kind}: ${plain(String(one.summary))}`),
    ),
    `## Proof\nEvents: ${report.events.count}. Head of the chain: \`${report.chain.head}\`.\nCheck it: \`devflow run verify ${report.runId}\``,
  ];
  return `${sections.filter(Boolean).join("\n\n")}\n`;
}

function auditOutcome({ source, outcome, phase }: FinalReport["audit"][number]): string {
  const place = phase === null ? "after the last phase" : `in ${phase}`;
  return source === "permission" ? `asked for ${place}, ${outcome}` : place;
}

function findingVerdict({ resolved, waiver, verifierStatus }: FinalReport["findings"][number]): unknown {
  if (resolved || !waiver) return resolved ? "fixed" : verifierStatus;
  const { reason, by } = waiver as { reason: string | null; by: { name?: string; userId: string | null } };
  return `waived by ${by.name ?? by.userId ?? "?"}${reason ? `: ${reason}` : ""}`;
}

function facts(report: FinalReport): string {
  const { inputs, diff, cost } = report;
  const rows = [
    `- Run \`${report.runId}\`, template \`${report.template}\``,
    `- Repository \`${inputs.repoPath}\`, branch \`${inputs.branch}\` from \`${inputs.baseBranch}\` (\`${String(inputs.baseCommit).slice(0, 12)}\`)`,
    ...(report.forkOf
      ? [
          `- Forked from run \`${report.forkOf.runId ?? "gone"}\` at ${report.forkOf.phase} (\`${String(report.forkOf.commit).slice(0, 12)}\`)`,
        ]
      : []),
    `- From ${report.startedAt ?? report.createdAt} to ${report.endedAt}`,
    diff
      ? `- ${diff.files} file${diff.files === 1 ? "" : "s"} changed, ${diff.insertions} line${diff.insertions === 1 ? "" : "s"} added, ${diff.deletions} removed`
      : "",
    `- ${cost.inputTokens} tokens in, ${cost.outputTokens} out${cost.usd === null ? "" : `, ${Number(cost.usd).toFixed(2)} USD`}`,
    `- Roles: ${report.bindings.map((one) => `${one.role} = ${one.persona} (${one.backend})`).join(", ") || "not bound"}`,
  ];
  return rows.filter(Boolean).join("\n");
}

function table(title: string, head: readonly string[], rows: readonly (readonly unknown[])[]): string {
  if (rows.length === 0) return "";
  const line = (cells: readonly unknown[]) => `| ${cells.map((cell) => plain(String(cell ?? ""))).join(" | ")} |`;
  return [`## ${title}`, line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

const list = (title: string, rows: readonly string[]): string =>
  rows.length === 0 ? "" : `## ${title}\n${rows.map((row) => `- ${row}`).join("\n")}`;

/** Text from agents is untrusted: it must not become markup, a link or a new table row. */
function plain(text: string): string {
  return text
    .replace(/[\r\n]+/g, " ")
    .replace(/[<>|[\]]/g, (mark) => `\\${mark}`)
    .slice(0, 2000);
}
