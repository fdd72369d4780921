/** The newest open question, above the list of runs, and a link to the others. Always one line, so that nothing moves. */
import { Link } from "@tanstack/react-router";
import type { Question } from "../../model/runs/gate-notices.ts";
import { Icon } from "../../parts/icon.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";

export function OpenQuestions({ questions }: { questions: readonly Question[] }) {
  // The newest, since the user has probably just started that run. The approvals screen lists all, oldest first.
  const [newest] = questions.toSorted((a, b) => Date.parse(b.askedAt) - Date.parse(a.askedAt));
  return (
    <section
      aria-label="Open questions"
      className={`flex h-12 items-stretch overflow-hidden rounded-panel border border-line ${newest ? "bg-warn-soft" : ""}`}
    >
      {newest ? (
        <Link
          to="/runs/$id"
          params={{ id: newest.runId }}
          className="flex min-w-0 flex-1 items-center gap-3 px-4 outline-offset-[-2px] hover:bg-hover"
        >
          <span className="text-warn">
            <Icon name="approvals" />
          </span>
          <span className="min-w-0 flex-1 truncate">
            <span className="font-medium">{newest.text}</span> <span className="text-ink-soft">{newest.runTitle}</span>
          </span>
          <span className="hidden text-meta text-ink-soft wide:inline">
            <RelativeTime at={newest.askedAt} />
          </span>
          <span className="text-meta font-medium text-accent">Decide</span>
        </Link>
      ) : (
        <p className="flex items-center gap-3 px-4 text-ink-soft">
          <Icon name="approvals" />
          Nothing waits for a decision.
        </p>
      )}
      {questions.length > 1 && (
        <Link
          to="/approvals"
          className="flex shrink-0 items-center border-l border-line px-4 text-meta text-accent outline-offset-[-2px] hover:bg-hover"
        >
          {questions.length - 1} more
        </Link>
      )}
    </section>
  );
}
