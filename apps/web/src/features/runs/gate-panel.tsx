/**
 * A gate: the question, the evidence and the four verdicts. After a decision it stays and says who decided what, because a second
 * person may have been about to decide.
 */
import type { ApprovalView, RunDetail } from "@devflow/protocol";
import { useServices } from "../../app-context.tsx";
import { gateQuestion, sentence } from "../../model/runs/run-words.ts";
import { Icon } from "../../parts/icon.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { AuditNotice } from "./audit-list.tsx";
import { type Decision, GateDecided, GateDecision, Refusal } from "./gate-decision.tsx";
import { GateEvidence } from "./gate-evidence.tsx";
import { useAction } from "./use-action.ts";

/** The work changed while the gate was open, so it asks again. */
function AddedWork({ added }: { added: NonNullable<ApprovalView["added"]> }) {
  const { commits, files } = added;
  return (
    <div data-added-work className="mt-2 rounded-small border border-line-strong bg-raised px-3 py-2">
      <p className="font-medium text-warn">The work has changed since this gate opened. Look at what was added.</p>
      <ul className="mt-1 grid gap-0.5 text-meta">
        {commits.map(({ commit, subject, author }) => (
          <li key={commit} className="break-words">
            <span className="font-mono">{commit.slice(0, 10)}</span> {subject}
            <span className="text-ink-soft"> by {author}</span>
          </li>
        ))}
        {files.map(({ path, change }) => (
          <li key={path} className="break-all">
            <span className="font-mono">{path}</span> <span className="text-ink-soft">{change}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

export function GatePanel({ run, approval }: { run: RunDetail; approval: ApprovalView }) {
  const { api } = useServices();
  const act = useAction((decision: Decision, clientToken) =>
    api.runs.decide(approval.id, {
      verdict: decision.verdict,
      epoch: decision.epoch,
      clientToken,
      ...(decision.comment ? { comment: decision.comment } : {}),
      ...(decision.choice ? { choice: decision.choice } : {}),
      ...(decision.comments.length > 0 ? { comments: decision.comments } : {}),
    }),
  );
  const phase = run.phases.find((each) => each.key === approval.phase);
  const isOpen = approval.state === "pending" || approval.state === "paused";
  return (
    <section
      aria-label="Gate"
      data-gate={approval.id}
      data-gate-state={approval.state}
      className={`min-w-0 overflow-clip rounded-panel border bg-raised ${isOpen ? "border-line-strong" : "border-line"}`}
    >
      <header className={`px-4 py-3 ${isOpen ? "border-b border-line bg-warn-soft" : ""}`}>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className={isOpen ? "text-warn" : "text-ink-soft"}>
            <Icon name="approvals" />
          </span>
          <h2 className="min-w-0 text-body">{gateQuestion(approval, phase?.title)}</h2>
          {!isOpen && <GateDecided approval={approval} />}
          <span className="ml-auto text-meta text-ink-soft">
            {phase ? `${phase.title}${isOpen && phase.attempts > 1 ? `, attempt ${phase.attempts}` : ""} · ` : ""}
            {approval.kind === "gate" && (
              <>
                <span className="font-mono">{approval.gate}</span> ·{" "}
              </>
            )}
            asked <RelativeTime at={approval.createdAt} />
          </span>
        </div>
        {isOpen && approval.reason !== null && (
          <p className="mt-1 break-words whitespace-pre-line">{sentence(approval.reason)}</p>
        )}
        {isOpen && approval.detail !== null && (
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
            tabIndex={0}
            data-gate-detail
            className="mt-2 max-h-80 overflow-auto rounded-small border border-line-strong bg-raised px-3 py-2 font-mono text-meta"
          >
            {approval.detail}
          </pre>
        )}
        {isOpen && <AuditNotice findings={approval.audit} />}
        {isOpen && approval.added && <AddedWork added={approval.added} />}
        {!isOpen && approval.decision?.comment && (
          <blockquote className="mt-2 border-l-2 border-line-strong pl-3 break-words whitespace-pre-line text-ink-soft">
            {approval.decision.comment}
          </blockquote>
        )}
        {!isOpen && act.fault && (
          <div className="mt-2">
            <Refusal fault={act.fault} />
          </div>
        )}
      </header>
      {isOpen && (
        <div className="grid broad:grid-cols-[minmax(0,1fr)_320px]">
          <div className="min-w-0 border-line broad:border-r">
            <GateEvidence run={run} approval={approval} />
          </div>
          {/* On a phone the verdicts stay above the navigation while the evidence scrolls. */}
          <div className="max-broad:sticky max-broad:bottom-0 max-wide:bottom-[calc(57px+env(safe-area-inset-bottom))] max-broad:z-1 max-broad:bg-raised max-broad:p-3 max-broad:[&_textarea]:h-9 max-broad:[&_textarea]:min-h-9 max-broad:[&_form]:gap-2 max-broad:[&_button]:col-span-1 max-broad:[&_button]:min-h-10 border-t border-line p-4 broad:border-t-0">
            <GateDecision run={run} approval={approval} act={act} />
          </div>
        </div>
      )}
    </section>
  );
}
