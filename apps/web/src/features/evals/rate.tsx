/** A pass rate with its confidence interval, as numbers and as a drawing. */
import { intervalText, percent } from "../../model/evals/eval-words.ts";
import { IntervalMark } from "../../parts/charts/interval-mark.tsx";

interface Rated {
  readonly passRate: number | null;
  readonly interval: { readonly low: number; readonly high: number };
}

export function Rate({ of }: { of: Rated }) {
  return (
    <span className="flex items-center justify-end gap-3 whitespace-nowrap">
      <span className="hidden broad:block">
        <IntervalMark value={of.passRate} {...of.interval} />
      </span>
      <span className="grid w-18 justify-items-end">
        <span className="font-medium tabular-nums">{percent(of.passRate)}</span>
        {of.passRate !== null && (
          <span className="text-meta text-ink-soft tabular-nums" title="95 % interval (Wilson)">
            {intervalText(of.interval)}
          </span>
        )}
      </span>
    </span>
  );
}
