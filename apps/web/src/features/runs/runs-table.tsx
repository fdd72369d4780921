/** The table of runs. Keys: j and k move, x selects, Enter opens. Of long lists only the rows in view are rendered. */
import type { RunSummary } from "@devflow/protocol";
import { Link } from "@tanstack/react-router";
import { useRef } from "react";
import { repositoryName } from "../../model/runs/run-filter.ts";
import { money, runWord, tokens } from "../../model/runs/run-words.ts";
import { windowFrom } from "../../model/runs/visible-rows.ts";
import { Elapsed } from "../../parts/elapsed.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { SelectCell, SelectHead, useSelection } from "../../parts/selection.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { TableHead } from "../../parts/table-head.tsx";
import { useFlash } from "../../parts/use-flash.ts";
import { useVisibleRows } from "../../parts/windowed.tsx";
import { RunsSelection } from "./runs-selection.tsx";

const rowHeight = 48;
const columns = [
  ["Run", "w-auto"],
  ["State", "w-44"],
  ["Phase", "hidden w-36 wide:table-cell vast:w-48"],
  ["Repository", "hidden w-32 vast:table-cell"],
  ["Started by", "hidden w-32 vast:table-cell"],
  ["Cost", "hidden w-24 text-right vast:table-cell"],
  ["Elapsed", "hidden w-28 text-right wide:table-cell"],
  ["Updated", "hidden w-24 text-right broad:table-cell"],
] as const;

export function RunsTable({ runs }: { runs: readonly RunSummary[] }) {
  const box = useRef<HTMLDivElement>(null);
  const { rows, onScroll } = useVisibleRows(box, runs.length, rowHeight);
  const { selected, toggle, clear } = useSelection();
  const chosen = runs.filter((run) => selected.has(run.id));
  return (
    <>
      {chosen.length > 0 && <RunsSelection runs={chosen} onClear={clear} />}
      <div
        ref={box}
        onScroll={onScroll}
        className={runs.length > windowFrom ? "max-h-[72dvh] overflow-y-auto" : undefined}
      >
        <table className="w-full table-fixed border-collapse text-left" aria-rowcount={runs.length + 1}>
          <caption className="sr-only">Runs</caption>
          <TableHead columns={columns} before={<SelectHead />} />
          <tbody>
            {rows.before > 0 && <Spacer height={rows.before} />}
            {runs.slice(rows.first, rows.last).map((run, offset) => (
              <Row
                key={run.id}
                run={run}
                index={rows.first + offset}
                isSelected={selected.has(run.id)}
                onSelect={toggle}
              />
            ))}
            {rows.after > 0 && <Spacer height={rows.after} />}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** The height is an attribute of the cell, since the content security policy forbids styles. */
function Spacer({ height }: { height: number }) {
  return (
    <tr>
      <td height={height} />
    </tr>
  );
}

interface RowProps {
  readonly run: RunSummary;
  readonly index: number;
  readonly isSelected: boolean;
  readonly onSelect: (id: string) => void;
}

function Row({ run, index, isSelected, onSelect }: RowProps) {
  const flash = useFlash(`${run.state} ${run.phase?.key} ${run.phase?.attempt} ${run.pendingApprovals}`);
  const used = run.cost.inputTokens + run.cost.outputTokens;
  const usage = run.cost.usd !== null ? money(run.cost.usd) : used > 0 ? `${tokens(used)} tokens` : undefined;
  return (
    <tr
      data-keys
      data-run={run.id}
      aria-rowindex={index + 2}
      className={`h-12 border-b border-line last:border-b-0 ${isSelected ? "bg-accent-soft" : "hover:bg-hover"} ${flash}`}
    >
      <SelectCell name={run.title} isSelected={isSelected} onToggle={() => onSelect(run.id)} />
      <td className="px-3">
        <Link
          to="/runs/$id"
          params={{ id: run.id }}
          data-row
          title={run.title}
          className="block truncate font-medium outline-offset-2 hover:underline"
        >
          {run.title}
        </Link>
        <span className="block truncate text-meta text-ink-soft">
          <span className="wide:hidden">{run.phase?.title ?? run.template}</span>
          {/* Its own column is for broad screens only. */}
          {used > 0 && (
            <span className="tabular-nums wide:hidden"> · {run.cost.usd ? usage : `${tokens(used)} tokens`}</span>
          )}
          <span className="hidden wide:inline vast:hidden">{repositoryName(run.repository)} · </span>
          <span className="hidden font-mono wide:inline">{run.branch}</span>
        </span>
      </td>
      <td className="px-3">
        <StateWord {...runWord(run)} />
      </td>
      <td className="hidden px-3 wide:table-cell">{run.phase ? <PhasePlace phase={run.phase} /> : <None />}</td>
      <td className="hidden truncate px-3 vast:table-cell" title={run.repository}>
        {repositoryName(run.repository)}
      </td>
      <td className="hidden truncate px-3 vast:table-cell">{run.startedBy.name}</td>
      <td className="hidden px-3 text-right tabular-nums vast:table-cell">{usage ?? <None />}</td>
      <td className="hidden px-3 text-right wide:table-cell">
        <Elapsed of={run} />
      </td>
      <td className="hidden px-3 text-right text-ink-soft broad:table-cell">
        <RelativeTime at={run.updatedAt} />
      </td>
    </tr>
  );
}

function PhasePlace({ phase }: { phase: NonNullable<RunSummary["phase"]> }) {
  return (
    <span className="block truncate">
      <span className="text-ink-soft tabular-nums">
        {phase.seq}/{phase.of}
      </span>{" "}
      {phase.title}
      {phase.attempt > 1 && <span className="text-ink-soft tabular-nums"> · attempt {phase.attempt}</span>}
    </span>
  );
}

const None = () => <span className="text-ink-soft">none</span>;
