/** Cases that both pass and fail on the same commit. */
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { intervalText, percent } from "../../model/evals/eval-words.ts";
import { Button } from "../../parts/button.tsx";
import { IntervalMark } from "../../parts/charts/interval-mark.tsx";
import { Panel } from "../../parts/page.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { useFlaky } from "./eval-queries.ts";

/** How many cases are shown at first; most others failed only once. */
const first = 6;

export function FlakyCases({ suite, tier }: { suite: string; tier: string }) {
  const [isWhole, setWhole] = useState(false);
  const flaky = useFlaky({ suite, tier });
  return (
    <Panel
      title="Flaky cases"
      aside={
        <span className="hidden text-meta text-ink-soft wide:inline">
          How often results of the same commit disagree
        </span>
      }
    >
      {flaky.isPending && <SkeletonRows count={3} />}
      {flaky.error && <FaultNote fault={flaky.error} onRetry={() => void flaky.refetch()} />}
      {flaky.data?.cases.length === 0 && (
        <EmptyNote title="No flaky cases">
          Of the commits run at least twice, none has a case that both passed and failed.
        </EmptyNote>
      )}
      <ul className="divide-y divide-line">
        {flaky.data?.cases.slice(0, isWhole ? undefined : first).map((one) => (
          <li
            key={one.caseKey}
            data-flaky={one.name}
            className="flex min-h-12 flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2"
          >
            <Link
              to="/evals/cases/$suite/$key"
              params={{ suite, key: one.caseKey }}
              data-row
              className="min-w-0 flex-1 basis-60 font-medium break-words outline-offset-2 hover:underline"
            >
              {one.name}
            </Link>
            <span className="text-meta text-ink-soft tabular-nums">
              mixed results in {one.mixedStates} of {one.states} commits, passes {percent(one.passRate)}, last{" "}
              <RelativeTime at={one.lastMixedAt} />
            </span>
            <span className="flex items-center gap-3">
              <IntervalMark value={one.rate} {...one.interval} tone="calm" />
              <span className="w-24 text-right">
                <span className="block font-medium tabular-nums">{percent(one.rate)}</span>
                <span className="block text-meta text-ink-soft tabular-nums">{intervalText(one.interval)}</span>
              </span>
            </span>
          </li>
        ))}
      </ul>
      {flaky.data && flaky.data.cases.length > first && !isWhole && (
        <div className="border-t border-line px-4 py-2">
          <Button onClick={() => setWhole(true)}>Show {flaky.data.cases.length - first} less flaky cases</Button>
        </div>
      )}
    </Panel>
  );
}
