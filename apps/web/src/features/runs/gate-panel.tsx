/** An open gate: what is asked, the evidence, and the four answers beside it. Once decided, who decided what. */
import type { ApprovalView, RunDetail } from "@devflow/protocol";
import { gateQuestion } from "../../model/runs/run-words.ts";
import { Icon } from "../../parts/icon.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { GateDecided, GateDecision } from "./gate-decision.tsx";
import { GateEvidence } from "./gate-evidence.tsx";

export function GatePanel({ run, approval }: { run: RunDetail; approval: ApprovalView }) {
  const phase = run.phases.find((each) => each.key === approval.phase);
  const isOpen = approval.state === "pending" || approval.state === "paused";
  return (
    <section
      aria-label="Gate"
      data-gate={approval.id}
      data-gate-state={approval.state}
      className="min-w-0 overflow-hidden rounded-panel border border-line-strong bg-raised"
    >
      <header className={`border-b border-line px-4 py-3 ${isOpen ? "bg-warn-soft" : "bg-sunken"}`}>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className={isOpen ? "text-warn" : "text-ink-soft"}>
            <Icon name="approvals" />
          </span>
          <h2 className="min-w-0 text-body">{gateQuestion(approval, phase?.title)}</h2>
          <span className="ml-auto text-meta text-ink-soft">
            {phase ? `${phase.title}${phase.attempts > 1 ? `, attempt ${phase.attempts}` : ""} · ` : ""}
            <span className="font-mono">{approval.gate}</span> · asked <RelativeTime at={approval.createdAt} />
          </span>
        </div>
        {approval.reason !== null && <p className="mt-1 break-words whitespace-pre-line">{approval.reason}</p>}
      </header>
      <div className="grid broad:grid-cols-[minmax(0,1fr)_320px]">
        <div className="min-w-0 border-line broad:border-r">
          <GateEvidence run={run} approval={approval} />
        </div>
        <div className="border-t border-line p-4 broad:border-t-0">
          {isOpen ? (
            <GateDecision key={`${approval.id}:${approval.epoch}`} run={run} approval={approval} />
          ) : (
            <GateDecided approval={approval} />
          )}
        </div>
      </div>
    </section>
  );
}
