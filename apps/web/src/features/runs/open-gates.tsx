/** Gates that wait for a person, above everything else; nothing at all when there are none. */
import { Link } from "@tanstack/react-router";
import { gateQuestion } from "../../model/runs/run-words.ts";
import { Icon } from "../../parts/icon.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { useApprovals } from "./run-queries.ts";

const shownAtMost = 3;

export function OpenGates() {
  const approvals = useApprovals();
  // The newest first: whoever looks here has mostly just started it. The screen of approvals has them all, the oldest first.
  const list = (approvals.data ?? []).toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));
  if (list.length === 0) return null;
  return (
    <section aria-label="Open gates" className="overflow-hidden rounded-panel border border-line bg-warn-soft">
      <ul className="divide-y divide-line">
        {list.slice(0, shownAtMost).map((gate) => (
          <li key={gate.id}>
            <Link
              to="/runs/$id"
              params={{ id: gate.runId }}
              className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 outline-offset-[-2px] hover:bg-hover"
            >
              <span className="text-warn">
                <Icon name="approvals" />
              </span>
              <span className="min-w-0 flex-1 basis-48 break-words">
                <span className="font-medium">{gateQuestion(gate)}</span>{" "}
                <span className="text-ink-soft">{gate.runTitle}</span>
              </span>
              <span className="text-meta text-ink-soft">
                <RelativeTime at={gate.createdAt} />
              </span>
              <span className="text-meta font-medium text-accent">Decide</span>
            </Link>
          </li>
        ))}
      </ul>
      {list.length > shownAtMost && (
        <Link
          to="/approvals"
          className="block border-t border-line px-4 py-2 text-meta text-accent outline-offset-[-2px] hover:underline"
        >
          All {list.length} gates
        </Link>
      )}
    </section>
  );
}
