/** Eval runs in progress: a list, and the live results of one. */
import type { EvalWatchList } from "@devflow/protocol";
import { Link, useSearch } from "@tanstack/react-router";
import { moneyText, plural, watchWord } from "../../model/evals/eval-words.ts";
import { CopyCommand } from "../../parts/copy-command.tsx";
import { Page } from "../../parts/page.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { useWatched } from "./eval-queries.ts";
import { EvalsNav } from "./evals-nav.tsx";
import { WatchedRun } from "./watched-run.tsx";

export function WatchPage() {
  const { suite } = useSearch({ from: "/evals/watch" });
  const watched = useWatched();
  const suites = watched.data?.suites ?? [];
  const shown = suite ?? suites[0]?.suite;
  return (
    <Page title="Watch" broad above={<EvalsNav />} lead="Results as the workers write them, and which workers died.">
      {watched.error && <FaultNote fault={watched.error} onRetry={() => void watched.refetch()} />}
      {watched.isPending && (
        <div className="rounded-panel border border-line">
          <SkeletonRows count={6} />
        </div>
      )}
      {watched.data && (
        <div className="grid grid-cols-1 gap-6">
          {suites.length > 1 && (
            <nav aria-label="Suites in progress">
              <ul className="flex flex-wrap gap-2">
                {suites.map((one) => (
                  <li key={one.suite}>
                    <Link
                      to="/evals/watch"
                      search={{ suite: one.suite }}
                      aria-current={one.suite === shown ? "true" : undefined}
                      className={`flex h-8 items-center gap-3 rounded-small border px-3 ${one.suite === shown ? "border-accent bg-accent-soft" : "border-line hover:bg-hover"}`}
                    >
                      <span className="font-medium">{one.suite}</span>
                      <StateWord {...watchWord(one.state)} />
                      <span className="text-meta text-ink-soft tabular-nums">
                        {one.done}
                        {one.expected !== null && ` of ${one.expected}`}
                      </span>
                      <span className="hidden text-meta text-ink-soft wide:inline">
                        <RelativeTime at={one.updatedAt} />
                      </span>
                    </Link>
                  </li>
                ))}
              </ul>
            </nav>
          )}
          {suites.length > 1 && <Totals of={suites} />}
          {shown === undefined ? <Nothing /> : <WatchedRun key={shown} suite={shown} />}
        </div>
      )}
    </Page>
  );
}

/** All suites in progress together. */
function Totals({ of }: { of: EvalWatchList["suites"] }) {
  const sum = (pick: (one: EvalWatchList["suites"][number]) => number) => of.reduce((all, one) => all + pick(one), 0);
  const isKnown = of.every(({ expected }) => expected !== null);
  const cost = {
    actualUsd: sum((one) => one.cost.actualUsd),
    estimatedUsd: sum((one) => one.cost.estimatedUsd),
    unpricedCalls: sum((one) => one.cost.unpricedCalls),
  };
  return (
    <p className="text-meta text-ink-soft tabular-nums">
      All {of.length} suites: {sum(({ done }) => done)}
      {isKnown && ` of ${sum(({ expected }) => expected ?? 0)}`} done, {sum(({ tally }) => tally.passed)} passed,{" "}
      {sum(({ tally }) => tally.failed)} failed,{" "}
      {plural(
        sum(({ tally }) => tally.errors),
        "error",
      )}
      , {moneyText(cost)}
    </p>
  );
}

function Nothing() {
  return (
    <div className="rounded-panel border border-line bg-raised">
      <EmptyNote title="No eval run in progress" command="devflow eval check cases/ outputs/ --workers 4">
        This page updates as soon as a worker writes its first result. Workers run in eval check, and in any program
        that calls the collector's savePartial.
      </EmptyNote>
      <p className="border-t border-line px-4 py-3 text-center text-meta text-ink-soft">
        In a terminal: <CopyCommand command="devflow eval watch" quiet />
      </p>
    </div>
  );
}
