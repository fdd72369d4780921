/** What agents did, or asked to do, against the rules on destructive commands. */
import type { AuditFindingView } from "@devflow/protocol";
import { auditOutcome, severityWord } from "../../model/runs/run-words.ts";
import { StateWord } from "../../parts/state-word.tsx";
import { EmptyNote } from "../../parts/states.tsx";

function AuditList({ findings }: { findings: readonly AuditFindingView[] }) {
  return (
    <ul data-audit className="divide-y divide-line">
      {findings.map((finding) => (
        <li key={finding.id} className="px-4 py-3">
          <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
            <StateWord {...severityWord(finding.severity)} />
            <span>{finding.rule}</span>
            <span className="text-meta text-ink-soft">{auditOutcome(finding)}</span>
            <span className="ml-auto text-meta text-ink-soft">
              {[finding.role, finding.phase].filter(Boolean).join(", ")}
            </span>
          </div>
          <pre className="mt-1 overflow-x-auto font-mono text-meta whitespace-pre-wrap break-words">
            {finding.detail ?? "(purged)"}
          </pre>
          <p className="mt-1 text-meta text-ink-soft">{finding.reason}</p>
        </li>
      ))}
    </ul>
  );
}

export function AuditTab({ findings }: { findings: readonly AuditFindingView[] }) {
  if (findings.length > 0) return <AuditList findings={findings} />;
  return (
    <EmptyNote title="Nothing to report">
      After each phase, Devflow looks through the agents' commands for destructive ones.
    </EmptyNote>
  );
}

/** Whoever decides has to know. */
export function AuditNotice({ findings }: { findings: readonly AuditFindingView[] }) {
  if (findings.length === 0) return null;
  return (
    <div className="mt-2 rounded-small border border-line-strong bg-raised">
      <p className="px-4 pt-2 font-medium text-warn">Before you decide, look at what the agents did.</p>
      <AuditList findings={findings} />
    </div>
  );
}
