/** A step that failed and is tried again: what failed, why, what helps, and when the next try is. */
import type { StepFailure } from "@devflow/protocol";
import { exactTime } from "../../model/relative-time.ts";
import { RelativeTime } from "../../parts/relative-time.tsx";

export function StepFailurePanel({ failure }: { failure: StepFailure }) {
  const { step, reason, hint, failures, at, nextTryAt } = failure;
  return (
    <section
      aria-label="Step failed"
      role="alert"
      data-step-failure={failure.code}
      className="min-w-0 rounded-panel border border-line-strong bg-bad-soft px-4 py-3"
    >
      <h2 className="text-body break-words">
        <span className="font-medium text-bad">The run cannot advance.</span> {reason}
      </h2>
      {hint && <p className="break-words">{hint}</p>}
      <p className="mt-1 text-meta text-ink-soft">
        {step.replaceAll("_", " ")} failed {failures === 1 ? "once" : `${failures} times`}, last{" "}
        <RelativeTime at={at} />. It is tried again at{" "}
        <time dateTime={nextTryAt} title={exactTime(nextTryAt)} className="tabular-nums">
          {new Date(nextTryAt).toLocaleTimeString()}
        </time>
        .
      </p>
    </section>
  );
}
