/** The newest open gate, above the list of runs, and a link to the others. Always one line, so that nothing moves. */
import type { ApprovalView } from "@devflow/protocol";
import { Link } from "@tanstack/react-router";
import { gateQuestion } from "../../model/runs/run-words.ts";
import { Icon } from "../../parts/icon.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";

export function OpenGates({ approvals }: { approvals: readonly ApprovalView[] }) {
  // The newest, since the user has probably just started that run. The approvals screen lists all, oldest first.
  const [gate] = approvals.toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));
  return (
    <section
      aria-label="Open gates"
      className={`flex h-12 items-stretch overflow-hidden rounded-panel border border-line ${gate ? "bg-warn-soft" : ""}`}
    >
      {gate ? (
        <Link
          to="/runs/$id"
          params={{ id: gate.runId }}
          className="flex min-w-0 flex-1 items-center gap-3 px-4 outline-offset-[-2px] hover:bg-hover"
        >
          <span className="text-warn">
            <Icon name="approvals" />
          </span>
          <span className="min-w-0 flex-1 truncate">
            <span className="font-medium">{gateQuestion(gate)}</span>{" "}
            <span className="text-ink-soft">{gate.runTitle}</span>
          </span>
          <span className="hidden text-meta text-ink-soft wide:inline">
            <RelativeTime at={gate.createdAt} />
          </span>
          <span className="text-meta font-medium text-accent">Decide</span>
        </Link>
      ) : (
        <p className="flex items-center gap-3 px-4 text-ink-soft">
          <Icon name="approvals" />
          No gates waiting for a decision.
        </p>
      )}
      {approvals.length > 1 && (
        <Link
          to="/approvals"
          className="flex shrink-0 items-center border-l border-line px-4 text-meta text-accent outline-offset-[-2px] hover:bg-hover"
        >
          {approvals.length - 1} more
        </Link>
      )}
    </section>
  );
}
