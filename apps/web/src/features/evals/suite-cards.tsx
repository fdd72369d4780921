/** A card per suite: its latest run, and its pass rate over recent commits. */
import type { EvalSuiteList } from "@devflow/protocol";
import { Link } from "@tanstack/react-router";
import { intervalText, percent, plural, runWord } from "../../model/evals/eval-words.ts";
import { Sparkline } from "../../parts/charts/sparkline.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { StateWord } from "../../parts/state-word.tsx";

type Suite = EvalSuiteList["suites"][number];
const most = 6;

export function SuiteCards({ suites }: { suites: readonly Suite[] }) {
  return (
    <section aria-label="Suites">
      <ul className="grid grid-cols-1 gap-3 wide:grid-cols-2 vast:grid-cols-3">
        {suites.slice(0, most).map((suite) => (
          <li key={`${suite.suite} ${suite.tier}`} className="rounded-panel border border-line bg-raised p-4">
            <Card of={suite} />
          </li>
        ))}
      </ul>
      {suites.length > most && (
        <p className="mt-2 text-meta text-ink-soft">
          Showing the {most} suites that ran most recently; {suites.length - most} more are in the list below.
        </p>
      )}
    </section>
  );
}

function Card({ of: { suite, tier, runs, variants, commit, latest, states } }: { of: Suite }) {
  const newest = states.at(-1);
  const link = "text-accent underline underline-offset-2";
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
      <div className="min-w-0 flex-1 basis-40">
        <h2 className="truncate text-body" title={suite}>
          {suite}
        </h2>
        <p className="truncate text-meta text-ink-soft">
          {tier} · {plural(runs, "run")}
          {variants > 1 && ` of ${variants} models and prompts`} · <RelativeTime at={latest.at} />
        </p>
        <p className="mt-2 flex flex-wrap items-baseline gap-x-3">
          <span className="text-title tabular-nums">{percent(newest?.passRate ?? null)}</span>
          {newest && newest.passRate !== null && (
            <span className="text-meta text-ink-soft tabular-nums">{intervalText(newest.interval)}</span>
          )}
          <StateWord {...runWord(latest)} />
        </p>
        {commit && (
          <p className="mt-1 truncate text-meta text-ink-soft" title={commit.subject}>
            {commit.subject} · {commit.author}
          </p>
        )}
      </div>
      <div className="grid justify-items-end gap-3">
        <Sparkline
          label={sparkLabel(states)}
          points={states.map(({ passRate, interval }) => ({ rate: passRate, ...interval }))}
        />
        <p className="flex gap-3 text-meta">
          <Link to="/evals/trends" search={{ suite, tier }} className={link}>
            Trend
          </Link>
          <Link to="/evals/compare" search={{ suite, tier }} className={link}>
            Compare
          </Link>
          <Link to="/evals/runs/$ref" params={{ ref: latest.ref }} className={link}>
            Latest run
          </Link>
        </p>
      </div>
    </div>
  );
}

function sparkLabel(states: Suite["states"]): string {
  const rates = states.flatMap(({ passRate }) => passRate ?? []);
  const [first, last] = [rates[0] ?? null, rates.at(-1) ?? null];
  return `Pass rate over ${plural(states.length, "commit")}: from ${percent(first)} to ${percent(last)}`;
}
