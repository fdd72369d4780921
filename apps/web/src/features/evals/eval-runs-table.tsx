/** The table of eval runs. Keys: j and k move, Enter opens, x selects, c compares two selected runs. */
import type { EvalRunLine } from "@devflow/protocol";
import { Link, useNavigate } from "@tanstack/react-router";
import {
  milliseconds,
  moneyNote,
  moneyText,
  plural,
  runWord,
  shortSha,
  variantText,
} from "../../model/evals/eval-words.ts";
import { Button } from "../../parts/button.tsx";
import { StatusBar } from "../../parts/charts/bars.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { SelectCell, SelectHead, useSelection } from "../../parts/selection.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { TableHead } from "../../parts/table-head.tsx";
import { Rate } from "./rate.tsx";

const columns = [
  ["Run", "w-auto"],
  ["Result", "hidden w-36 wide:table-cell"],
  ["Passed", "w-24 text-right broad:w-52"],
  ["Results", "hidden w-40 vast:table-cell"],
  ["Commit", "hidden w-32 wide:table-cell"],
  ["Tier", "hidden w-24 broad:table-cell"],
  ["Cost", "hidden w-28 text-right broad:table-cell"],
  ["Duration", "hidden w-24 text-right vast:table-cell"],
  ["When", "hidden w-28 text-right wide:table-cell"],
] as const;

export function EvalRunsTable({ runs, matching }: { runs: readonly EvalRunLine[]; matching: number }) {
  const { selected, toggle, clear } = useSelection();
  const chosen = runs.filter(({ ref }) => selected.has(ref));
  return (
    <>
      {chosen.length > 0 && <Selection runs={chosen} onClear={clear} />}
      <table className="w-full table-fixed border-collapse text-left" aria-rowcount={matching + 1}>
        <caption className="sr-only">Eval runs</caption>
        <TableHead columns={columns} before={<SelectHead />} />
        <tbody>
          {runs.map((run) => (
            <Row key={run.ref} run={run} isSelected={selected.has(run.ref)} onSelect={toggle} />
          ))}
        </tbody>
      </table>
    </>
  );
}

function Row(props: { run: EvalRunLine; isSelected: boolean; onSelect: (ref: string) => void }) {
  const { run, isSelected, onSelect } = props;
  return (
    <tr
      data-keys
      data-eval-run={run.ref}
      className={`h-12 border-b border-line last:border-b-0 ${isSelected ? "bg-accent-soft" : "hover:bg-hover"}`}
    >
      <SelectCell name={run.runId} isSelected={isSelected} onToggle={() => onSelect(run.ref)} />
      <td className="px-3">
        <Link
          to="/evals/runs/$ref"
          params={{ ref: run.ref }}
          data-row
          title={run.ref}
          className="block truncate font-medium outline-offset-2 hover:underline"
        >
          {run.suite}
        </Link>
        <span className="block truncate text-meta text-ink-soft">
          <span className="inline-flex gap-2 wide:hidden">
            <StateWord {...runWord(run)} />
            <RelativeTime at={run.at} />
          </span>
          <span className="hidden wide:inline">
            {run.matrix === null ? run.label : variantText(run)} · <span className="font-mono">{run.runId}</span>
            {run.isPartial && <span className="text-warn"> · partial</span>}
            {run.attempt > 1 && <span title={`attempt ${run.attempt} of this commit`}> · #{run.attempt}</span>}
          </span>
        </span>
      </td>
      <td className="hidden px-3 wide:table-cell">
        <StateWord {...runWord(run)} />
      </td>
      <td className="px-3">
        <Rate of={run} />
      </td>
      <td className="hidden px-3 vast:table-cell">
        <StatusBar totals={run} />
        <span className="text-meta text-ink-soft tabular-nums">
          {plural(run.total, "result")}
          {run.errors > 0 && `, ${plural(run.errors, "error")}`}
        </span>
      </td>
      <td className="hidden px-3 wide:table-cell">
        <span className="block truncate font-mono text-meta">{shortSha(run.gitSha)}</span>
        <span className="block truncate text-meta text-ink-soft">{run.gitBranch ?? ""}</span>
      </td>
      <td className="hidden truncate px-3 broad:table-cell">{run.tier}</td>
      <td className="hidden px-3 text-right tabular-nums broad:table-cell" title={moneyNote(run)}>
        {moneyText(run)}
      </td>
      <td className="hidden px-3 text-right tabular-nums vast:table-cell">{milliseconds(run.durationMs)}</td>
      <td className="hidden px-3 text-right text-ink-soft wide:table-cell">
        <RelativeTime at={run.at} />
      </td>
    </tr>
  );
}

/** Compares two selected runs, the older one as A. */
function Selection({ runs, onClear }: { runs: readonly EvalRunLine[]; onClear: () => void }) {
  const navigate = useNavigate();
  const [older, newer] = runs.toSorted((a, b) => (a.at < b.at ? -1 : 1));
  const isPair = runs.length === 2 && older && newer && older.suite === newer.suite;
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line bg-sunken px-3 py-2">
      <span className="mr-2 font-medium tabular-nums">{runs.length} selected</span>
      <Button
        variant="strong"
        shortcut="c"
        disabled={!isPair}
        onClick={() =>
          older && newer && void navigate({ to: "/evals/compare", search: { a: older.ref, b: newer.ref } })
        }
      >
        Compare
      </Button>
      <Button onClick={onClear}>Clear</Button>
      {!isPair && <span className="text-meta text-ink-soft">Select two runs of the same suite to compare them.</span>}
    </div>
  );
}
