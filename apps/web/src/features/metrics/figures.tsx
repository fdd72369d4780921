/**
 * Numbers that lead to the records behind them.
 *
 * - `Figures` a row of them; `Figure` one: its value, the value of the period before, its interval.
 * - `RateFigure` a rate with its interval, drawn and in words.
 */
import type { Rate } from "@devflow/protocol";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { intervalText, percent } from "../../model/evals/eval-words.ts";
import type { RecordsSearch } from "../../model/team/metric-search.ts";
import { before as beforeText } from "../../model/team/metric-words.ts";
import { IntervalMark } from "../../parts/charts/interval-mark.tsx";

export function Figures({ children }: { children: ReactNode }) {
  return (
    <div className="grid grid-cols-2 overflow-hidden rounded-panel border border-line bg-raised wide:grid-cols-3 broad:grid-cols-[repeat(auto-fit,minmax(9rem,1fr))]">
      {children}
    </div>
  );
}

/** The lines between tiles lie over the border of the box where there is no neighbour. */
const tile = "-mr-px -mb-px min-w-0 border-r border-b border-line px-4 py-3";

export interface FigureProps {
  readonly title: string;
  readonly value: string;
  readonly before?: string | undefined;
  /** What the number counts, in a few words. */
  readonly note?: string | undefined;
  readonly records?: RecordsSearch | undefined;
  readonly children?: ReactNode;
}

export function Figure({ title, value, before, note, records, children }: FigureProps) {
  const content = (
    <>
      <span className="block text-meta text-ink-soft">{title}</span>
      <span className="block text-title tabular-nums">{value}</span>
      {children}
      {before !== undefined && <span className="block text-meta text-ink-soft tabular-nums">{beforeText(before)}</span>}
      {note !== undefined && <span className="block text-meta text-ink-soft">{note}</span>}
    </>
  );
  if (!records) return <div className={tile}>{content}</div>;
  return (
    <Link to="/team/records" search={records} data-row className={`${tile} outline-offset-[-2px] hover:bg-hover`}>
      {content}
    </Link>
  );
}

export function RateFigure({
  now,
  before,
  ...rest
}: Omit<FigureProps, "value" | "before" | "children"> & { now: Rate; before: Rate }) {
  return (
    <Figure {...rest} value={percent(now.rate)} before={percent(before.rate)}>
      {now.rate !== null && (
        <span
          className="flex flex-wrap items-center gap-x-2 text-meta whitespace-nowrap text-ink-soft tabular-nums"
          title="95 % interval (Wilson)"
        >
          <IntervalMark value={now.rate} low={now.low} high={now.high} width={64} />
          {intervalText(now)}
        </span>
      )}
    </Figure>
  );
}

/** A rate in a table's cell; `isNarrow` leaves the width to the name in the first column. */
export function RateCell({ of, isNarrow = false }: { of: Rate; isNarrow?: boolean }) {
  return (
    <span className="flex items-center justify-end gap-3 whitespace-nowrap" title={`${of.hits} of ${of.of}`}>
      {!isNarrow && (
        <span className="hidden broad:block">
          <IntervalMark value={of.rate} low={of.low} high={of.high} />
        </span>
      )}
      <span className="grid w-18 justify-items-end">
        <span className="font-medium tabular-nums">{percent(of.rate)}</span>
        {of.rate !== null && <span className="text-meta text-ink-soft tabular-nums">{intervalText(of)}</span>}
      </span>
    </span>
  );
}
