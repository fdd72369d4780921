/** One case: its results by commit, two of them side by side, and its history. */
import type { EvalCaseDetail, EvalHistoryPoint } from "@devflow/protocol";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { type CaseSearch, type Place, parsePlace, placeText } from "../../model/evals/eval-search.ts";
import {
  intervalText,
  milliseconds,
  percent,
  plural,
  score,
  shellWord,
  shortSha,
  statusWord,
  usd,
} from "../../model/evals/eval-words.ts";
import { isMissing } from "../../model/runs/live-run.ts";
import { BackLink } from "../../parts/back-link.tsx";
import { CopyCommand } from "../../parts/copy-command.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { TableHead } from "../../parts/table-head.tsx";
import { CaseStrip } from "./case-strip.tsx";
import { Choice } from "./choice.tsx";
import { useCase, useOutputs } from "./eval-queries.ts";
import { SideBySide } from "./side-by-side.tsx";

export function CasePage() {
  const { suite, key } = useParams({ from: "/evals/cases/$suite/$key" });
  const search = useSearch({ from: "/evals/cases/$suite/$key" });
  const found = useCase(suite, key, search.tier);
  return (
    <Page
      title={found.data?.name ?? "Case"}
      broad
      isLoading={!found.data}
      above={<BackLink to="/evals">Eval runs</BackLink>}
      lead={found.data && <Lead of={found.data} />}
    >
      {found.isPending && (
        <div className="rounded-panel border border-line">
          <SkeletonRows count={8} />
        </div>
      )}
      {found.error && isMissing(found.error) && (
        <EmptyNote title="No such case" command={`devflow eval list --suite ${shellWord(suite)}`}>
          No stored run of {suite} includes it.
        </EmptyNote>
      )}
      {found.error && !isMissing(found.error) && <FaultNote fault={found.error} onRetry={() => void found.refetch()} />}
      {found.data && <Content of={found.data} search={search} />}
    </Page>
  );
}

function Content({ of, search }: { of: EvalCaseDetail; search: CaseSearch }) {
  const navigate = useNavigate({ from: "/evals/cases/$suite/$key" });
  const b = parsePlace(search.b) ?? of.suggested.b ?? undefined;
  const a = parsePlace(search.a) ?? beforeOf(of, b) ?? of.suggested.a ?? undefined;
  // Wait for both, so that the second does not push the first aside.
  const outputs = useOutputs(a ?? b, b);
  if (outputs.isPending && b) {
    return (
      <div className="rounded-panel border border-line">
        <SkeletonRows count={8} />
      </div>
    );
  }
  const choose = (side: "a" | "b", place: Place) =>
    void navigate({
      search: (now) => ({ ...now, a: a && placeText(a), b: b && placeText(b), [side]: placeText(place) }),
      replace: true,
      resetScroll: false,
    });
  return (
    <div className="grid grid-cols-1 gap-8">
      <Panel
        title="By commit"
        aside={
          of.tiers.length > 1 && (
            <Choice
              label="Tier"
              all="All tiers"
              value={search.tier}
              options={of.tiers}
              onPick={(tier) => void navigate({ search: (now) => ({ ...now, tier }), replace: true })}
            />
          )
        }
      >
        <CaseStrip of={of} />
      </Panel>
      <SideBySide a={a} b={b} outputs={outputs} />
      <Panel title="History" aside={<CopyCommand command={`devflow eval blame ${shellWord(of.name)}`} quiet />}>
        <History points={of.history} a={a} b={b} onChoose={choose} />
      </Panel>
    </div>
  );
}

/** The result to compare B with if only B was selected: the newest earlier one with another status. */
function beforeOf(of: EvalCaseDetail, b: Place | undefined): Place | undefined {
  const at = of.history.findIndex(({ run, ordinal }) => run === b?.run && ordinal === b.ordinal);
  const own = of.history[at];
  return own && of.history.slice(at + 1).find(({ status }) => status !== own.status && status !== "error");
}

function Lead({ of }: { of: EvalCaseDetail }) {
  const newest = of.states.at(-1);
  return (
    <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <span>{of.suite}</span>
      {newest && (
        <span className="tabular-nums">
          passed {newest.passes} of {newest.results} at {shortSha(newest.sha)}
        </span>
      )}
      {of.flaky && (
        <span className="inline-flex items-center gap-2">
          <StateWord word="Flaky" tone="warn" />
          <span className="tabular-nums">
            results of the same commit disagree {percent(of.flaky.rate)} of the time ({intervalText(of.flaky.interval)})
          </span>
        </span>
      )}
      <span>{plural(of.history.length, "result")}</span>
    </span>
  );
}

const columns = [
  ["Run", "w-auto"],
  ["Status", "w-28"],
  ["Score", "hidden w-20 text-right wide:table-cell"],
  ["Duration", "hidden w-24 text-right wide:table-cell"],
  ["Cost", "hidden w-24 text-right wide:table-cell"],
  ["When", "hidden w-28 text-right wide:table-cell"],
  ["Show as", "w-24 text-right"],
] as const;

function History(props: {
  points: readonly EvalHistoryPoint[];
  a: Place | undefined;
  b: Place | undefined;
  onChoose: (side: "a" | "b", place: Place) => void;
}) {
  const isAt = (place: Place | undefined, { run, ordinal }: EvalHistoryPoint) =>
    place?.run === run && place.ordinal === ordinal;
  return (
    <table className="w-full table-fixed border-collapse text-left">
      <caption className="sr-only">Results of this case, newest first</caption>
      <TableHead columns={columns} />
      <tbody className="divide-y divide-line">
        {props.points.map((point) => (
          <tr key={`${point.run} ${point.ordinal}`} className="h-10 hover:bg-hover">
            <td className="truncate px-3 font-mono text-meta" title={point.run}>
              {shortSha(point.gitSha)} · {point.run.slice(point.run.lastIndexOf("/") + 1)}
              {point.variant && ` · ${point.variant}`}
            </td>
            <td className="px-3">
              <StateWord {...statusWord(point.status)} />
            </td>
            <td className="hidden px-3 text-right tabular-nums wide:table-cell">{score(point.score)}</td>
            <td className="hidden px-3 text-right tabular-nums wide:table-cell">{milliseconds(point.durationMs)}</td>
            <td className="hidden px-3 text-right tabular-nums wide:table-cell">
              {point.usd === null ? "–" : usd(point.usd)}
            </td>
            <td className="hidden px-3 text-right text-ink-soft wide:table-cell">
              <RelativeTime at={point.at} />
            </td>
            <td className="px-3 text-right">
              {(["a", "b"] as const).map((side) => {
                const isChosen = isAt(side === "a" ? props.a : props.b, point);
                return (
                  <button
                    key={side}
                    type="button"
                    aria-pressed={isChosen}
                    aria-label={`Show as ${side.toUpperCase()}`}
                    onClick={() => props.onChoose(side, point)}
                    className={`ml-1 size-7 rounded-small border text-meta font-medium ${isChosen ? "border-accent bg-accent text-on-accent" : "border-line-strong hover:bg-hover"}`}
                  >
                    {side.toUpperCase()}
                  </button>
                );
              })}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
