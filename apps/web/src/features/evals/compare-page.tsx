/** A comparison of two states: the verdict, its evidence, then the cases. */
import type { EvalComparison, EvalState } from "@devflow/protocol";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { CompareSearch } from "../../model/evals/eval-search.ts";
import { percent, plural, shellWord, stateName, verdictWord } from "../../model/evals/eval-words.ts";
import { isMissing } from "../../model/runs/live-run.ts";
import { CopyCommand } from "../../parts/copy-command.tsx";
import { Page } from "../../parts/page.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { Choice, SuiteChoice } from "./choice.tsx";
import { useComparison, useSuites } from "./eval-queries.ts";
import { EvalsNav } from "./evals-nav.tsx";
import { SuiteComparison } from "./suite-comparison.tsx";

export function ComparePage() {
  const { team: _team, repo: _repo, ...search } = useSearch({ from: "/evals/compare" });
  const report = useComparison(search);
  // Wait for both, so that the second does not push the first aside.
  const isRead = !useSuites().isPending && !report.isPending;
  return (
    <Page
      title="Compare"
      broad
      above={<EvalsNav suite={search.suite} tier={search.tier} />}
      lead="Runs of the same commit are pooled. Only differences that noise cannot explain are reported."
    >
      <div className="grid grid-cols-1 gap-6">
        {isRead && <Sides search={search} report={report.data} />}
        {!isRead && (
          <div className="rounded-panel border border-line">
            <SkeletonRows count={6} />
          </div>
        )}
        {report.error && isMissing(report.error) && (
          <EmptyNote title="One side has no runs" command="devflow eval list">
            {report.error.message}
          </EmptyNote>
        )}
        {report.error && !isMissing(report.error) && (
          <FaultNote fault={report.error} onRetry={() => void report.refetch()} />
        )}
        {isRead && report.data && <Report of={report.data} search={search} />}
      </div>
    </Page>
  );
}

function Report({ of, search }: { of: EvalComparison; search: CompareSearch }) {
  if (of.suites.length === 0) {
    return (
      <div className="rounded-panel border border-line bg-raised">
        <EmptyNote title="Nothing to compare yet" command="devflow eval push results.json">
          A comparison needs runs of two commits. Push results for this commit and the previous one.
        </EmptyNote>
      </div>
    );
  }
  return (
    <>
      <Verdict of={of} search={search} />
      {of.suites.map((suite) => (
        <SuiteComparison key={`${suite.suite} ${suite.tier} ${suite.variant}`} of={suite} alpha={of.alpha} />
      ))}
    </>
  );
}

const verdictStyles = {
  regression: "bg-bad-soft",
  improvement: "bg-good-soft",
  "no evidence": "bg-raised",
  "not enough data": "bg-warn-soft",
} as const;

function Verdict({ of, search }: { of: EvalComparison; search: CompareSearch }) {
  return (
    <section
      aria-label="Verdict"
      data-verdict={of.verdict}
      className={`rounded-panel border border-line p-4 ${verdictStyles[of.verdict]}`}
    >
      <p className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <StateWord {...verdictWord(of.verdict)} />
        <span className="font-medium break-words">{of.headline}</span>
      </p>
      {of.warnings.length > 0 && (
        <ul className="mt-3 grid gap-1 border-t border-line pt-3">
          {of.warnings.map(({ kind, suite, text }) => (
            <li key={`${kind} ${suite} ${text}`} className="break-words">
              <span className="font-medium text-warn">{kind}: </span>
              {text}
            </li>
          ))}
        </ul>
      )}
      {(["a", "b"] as const).map((side) =>
        of[side].commits.slice(0, 3).map(({ sha, subject, author }) => (
          <p key={`${side} ${sha}`} className="mt-1 min-w-0 text-meta break-words text-ink-soft">
            {side.toUpperCase()} <span className="font-mono">{sha.slice(0, 8)}</span> {subject} · {author}
          </p>
        )),
      )}
      <p className="mt-3 text-meta text-ink-soft">
        {plural(of.a.runs.length, "run")} against {plural(of.b.runs.length, "run")} · α = {of.alpha}, Holm-corrected
        over {plural(of.familySize, "test")} <CopyCommand command={commandFor(of, search)} quiet />
      </p>
    </section>
  );
}

function commandFor(of: EvalComparison, { suite }: CompareSearch): string {
  const name = (states: readonly string[]) =>
    states.map((id) => id.replace(/^commit:([0-9a-f]{12}).*/s, "$1").replace(/^commit:/, "")).join(",");
  return `devflow eval compare ${name(of.a.states)} ${name(of.b.states)}${suite ? ` --suite ${shellWord(suite)}` : ""}`;
}

function Sides({ search, report }: { search: CompareSearch; report: EvalComparison | undefined }) {
  const navigate = useNavigate({ from: "/evals/compare" });
  const { data } = useSuites();
  const suites = data?.suites ?? [];
  const chosen = suites.find(({ suite, tier }) => suite === search.suite && tier === search.tier);
  const states = (chosen ?? suites[0])?.states.toReversed() ?? [];
  const pick = (side: "a" | "b") => (value: string | undefined) =>
    void navigate({
      search: (now) => ({
        ...now,
        suite: (chosen ?? suites[0])?.suite,
        tier: (chosen ?? suites[0])?.tier,
        [side]: value,
      }),
    });
  if (suites.length === 0) return null;
  return (
    <div className="grid grid-cols-1 items-end gap-3 wide:flex wide:flex-wrap">
      <SuiteChoice
        suites={suites}
        suite={search.suite}
        tier={search.tier}
        all="All suites"
        onPick={(suite, tier) => void navigate({ search: (now) => ({ team: now.team, repo: now.repo, suite, tier }) })}
      />
      <Choice label="A, before" value={search.a ?? report?.a.states[0]} options={options(states)} onPick={pick("a")} />
      <Choice label="B, after" value={search.b ?? report?.b.states[0]} options={options(states)} onPick={pick("b")} />
    </div>
  );
}

function options(states: readonly EvalState[]) {
  return states.map((state) => ({
    value: state.id,
    title: `${stateName(state.id)} · ${percent(state.passRate)} · ${plural(state.runs.length, "run")}`,
  }));
}
