/**
 * Bars. Their widths are attributes of a drawing: a style would break the page's policy.
 *
 * - `StatusBar` how a run's results divide. - `AmountBar` one amount against the largest, its parts in order.
 */
import type { EvalTotals } from "@devflow/protocol";
import { plural } from "../../model/evals/eval-words.ts";

const parts = [
  { key: "passed", look: "fill-good", word: "passed" },
  { key: "failed", look: "fill-bad", word: "failed" },
  { key: "errors", look: "fill-warn", word: "errors" },
  { key: "skipped", look: "fill-line-strong", word: "skipped" },
] as const;

export function StatusBar({ totals, of = totals.total }: { totals: EvalTotals; of?: number }) {
  const shown = parts.filter(({ key }) => totals[key] > 0);
  const label =
    shown
      .map(({ key, word }) => (key === "errors" ? plural(totals.errors, "error") : `${totals[key]} ${word}`))
      .join(", ") || plural(0, "result");
  let from = 0;
  return (
    <svg viewBox="0 0 1000 8" preserveAspectRatio="none" role="img" aria-label={label} className="block h-2 w-full">
      <title>{label}</title>
      <rect x="0" y="0" width="1000" height="8" className="fill-hover" />
      {shown.map(({ key, look }) => {
        const width = (totals[key] / Math.max(1, of)) * 1000;
        from += width;
        return <rect key={key} x={from - width} y="0" width={width} height="8" className={look} />;
      })}
    </svg>
  );
}

const amountLooks = ["fill-accent", "fill-accent opacity-50"];

export function AmountBar({ amounts, most }: { amounts: readonly number[]; most: number }) {
  let from = 0;
  return (
    <svg viewBox="0 0 1000 8" preserveAspectRatio="none" aria-hidden="true" className="block h-2 w-full">
      {amounts.map((amount, at) => {
        const width = most > 0 ? (amount / most) * 1000 : 0;
        from += width;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity besides their place
          <rect key={at} x={from - width} y="0" width={width} height="8" className={amountLooks[at % 2] ?? ""} />
        );
      })}
    </svg>
  );
}
