/** A case's results by commit: a letter for each result, with the pass rate and its interval below. */
import type { EvalCaseDetail } from "@devflow/protocol";
import { intervalText, percent, shortSha } from "../../model/evals/eval-words.ts";

const letters = {
  pass: { letter: "P", word: "passed", className: "bg-good-soft text-good" },
  fail: { letter: "F", word: "failed", className: "bg-bad-soft text-bad" },
  error: { letter: "E", word: "error", className: "bg-warn-soft text-warn" },
  skipped: { letter: "S", word: "skipped", className: "bg-sunken text-ink-soft" },
} as const;
const maxLetters = 12;

export function CaseStrip({ of }: { of: EvalCaseDetail }) {
  const byRun = Map.groupBy(of.history.toReversed(), ({ run }) => run);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a group around one list
    <div role="group" aria-label="Commits" tabIndex={0} className="relative overflow-x-auto outline-offset-[-2px]">
      <ol className="flex min-w-max gap-px px-4 py-4">
        {of.states.map((state) => {
          const results = state.runs.flatMap((run) => byRun.get(run) ?? []);
          const own = results.filter(({ gitSha }) => gitSha === state.sha);
          return (
            <li key={state.id} className="grid w-24 content-start justify-items-center gap-1 px-1">
              <span className="flex min-h-6 flex-wrap justify-center gap-px">
                {own.slice(-maxLetters).map(({ run, ordinal, status }) => (
                  <span
                    key={`${run} ${ordinal}`}
                    title={`${run}: ${letters[status].word}`}
                    className={`grid size-6 place-items-center rounded-small text-meta font-semibold ${letters[status].className}`}
                  >
                    <span aria-hidden="true">{letters[status].letter}</span>
                    <span className="sr-only">{letters[status].word} </span>
                  </span>
                ))}
              </span>
              {own.length > maxLetters && <span className="text-meta text-ink-soft">of {own.length}</span>}
              <span className="tabular-nums">{percent(state.passRate)}</span>
              {state.passRate !== null && (
                <span className="text-meta text-ink-soft tabular-nums">{intervalText(state.interval)}</span>
              )}
              <span className="font-mono text-meta text-ink-soft">{shortSha(state.sha).slice(0, 8)}</span>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
