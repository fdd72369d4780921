/** Cases whose result changed, proven changes first: results before and after, the failure, and both outputs. */
import type { EvalCaseChange } from "@devflow/protocol";
import { Link } from "@tanstack/react-router";
import { pValue } from "../../model/evals/eval-words.ts";
import { Panel } from "../../parts/page.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { EmptyNote } from "../../parts/states.tsx";

export function ChangedCases(props: {
  title: "Broke" | "Fixed";
  changes: readonly EvalCaseChange[];
  count: number;
  suite: string;
  alpha: number;
  none: string;
}) {
  const { title, changes, count } = props;
  const proven = changes.filter(({ isProven }) => isProven).length;
  return (
    <Panel
      title={title}
      aside={
        count > 0 && (
          <span className="text-meta text-ink-soft tabular-nums">
            {count} in total, {proven} proven{count > changes.length && `; showing the first ${changes.length}`}
          </span>
        )
      }
    >
      {changes.length === 0 ? (
        <EmptyNote title={props.none} />
      ) : (
        <ul className="divide-y divide-line">
          {changes.map((change) => (
            <Change key={change.caseKey} change={change} suite={props.suite} isBroken={title === "Broke"} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Change({ change, suite, isBroken }: { change: EvalCaseChange; suite: string; isBroken: boolean }) {
  const proof = change.isProven
    ? ({ word: "Proven", tone: isBroken ? "bad" : "good" } as const)
    : ({ word: "May be noise", tone: "calm" } as const);
  return (
    <li data-case={change.name} className="px-4 py-3">
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <Link
          to="/evals/cases/$suite/$key"
          params={{ suite, key: change.caseKey }}
          data-row
          className="min-w-0 flex-1 basis-60 font-medium break-words outline-offset-2 hover:underline"
        >
          {change.name}
          {change.renamedTo !== null && <span className="font-normal text-ink-soft"> → {change.renamedTo}</span>}
        </Link>
        <span className="whitespace-nowrap tabular-nums">
          {change.passesA} of {change.resultsA} → {change.passesB} of {change.resultsB} passed
        </span>
        <StateWord {...proof} />
        <span className="w-20 text-right text-meta text-ink-soft tabular-nums">{pValue(change.pAdjusted)}</span>
      </div>
      {change.failure && <p className="mt-1 break-words text-ink-soft">{change.failure.message}</p>}
      {(change.outputA ?? change.outputB) !== null && (
        <details className="mt-1">
          <summary className="min-h-6 text-meta text-accent">Show both outputs</summary>
          <div className="mt-2 grid gap-3 wide:grid-cols-2">
            <Output name="A" text={change.outputA} />
            <Output name="B" text={change.outputB} />
          </div>
        </details>
      )}
    </li>
  );
}

function Output({ name, text }: { name: string; text: string | null }) {
  return (
    <figure className="min-w-0">
      <figcaption className="mb-1 text-meta text-ink-soft">{name}</figcaption>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
        tabIndex={0}
        className="max-h-60 overflow-auto rounded-small border border-line bg-sunken p-3 font-sans break-words whitespace-pre-wrap"
      >
        {text ?? "Not stored."}
      </pre>
    </figure>
  );
}
