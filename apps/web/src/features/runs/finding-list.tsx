/** The reviewers' findings, worst first, with the verifier's result. */
import type { FindingView, RunDetail } from "@devflow/protocol";
import { findingWord, isOpenFinding, severityWord } from "../../model/runs/run-words.ts";
import { StateWord } from "../../parts/state-word.tsx";
import { EmptyNote } from "../../parts/states.tsx";
import { useActorName } from "./actor-name.tsx";
import { WaiveFinding } from "./waive-finding.tsx";

const order: readonly FindingView["severity"][] = ["critical", "high", "medium", "low", "info"];

export function FindingList({ run }: { run: RunDetail }) {
  const nameOf = useActorName();
  const findings = run.findings.toSorted((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
  if (findings.length === 0) {
    return (
      <EmptyNote title="No findings">
        {run.phases.some((phase) => phase.kind === "review" && phase.state === "completed")
          ? "The reviewers found nothing."
          : "The review has not run yet."}
      </EmptyNote>
    );
  }
  return (
    <ul className="divide-y divide-line">
      {findings.map((finding) => (
        <li key={finding.id} className="px-4 py-3">
          <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
            <StateWord {...severityWord(finding.severity)} />
            <StateWord {...findingWord(finding)} />
            <span className="text-meta text-ink-soft">{finding.category}</span>
            {finding.file !== null && (
              <span className="font-mono text-meta break-all">
                {finding.file}
                {finding.line !== null && `:${finding.line}`}
              </span>
            )}
            <span className="ml-auto text-meta text-ink-soft">{finding.reviewers.join(", ")}</span>
          </div>
          <p className="mt-1 max-w-[90ch] break-words whitespace-pre-line">{finding.summary}</p>
          {finding.evidence && (
            <pre className="mt-2 overflow-x-auto rounded-small bg-sunken p-2 font-mono text-meta whitespace-pre-wrap break-words">
              {finding.evidence}
            </pre>
          )}
          {finding.verifierReason && (
            <p className="mt-2 max-w-[90ch] break-words text-ink-soft">Verifier: {finding.verifierReason}</p>
          )}
          {finding.waiver && (
            <p className="mt-2 max-w-[90ch] break-words text-ink-soft">
              Waived by {nameOf(finding.waiver.by)}: {finding.waiver.reason}
            </p>
          )}
          {run.endedAt === null && isOpenFinding(finding) && <WaiveFinding run={run} finding={finding} />}
        </li>
      ))}
    </ul>
  );
}
