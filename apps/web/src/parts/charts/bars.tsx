/**
 * Bars, drawn as SVG since the content security policy forbids styles.
 *
 * - `StatusBar` a run's results by status.
 * - `AmountBar` an amount relative to the largest one, with its parts in order.
 */
import type { EvalTotals } from "@devflow/protocol";
import { plural } from "../../model/evals/eval-words.ts";

const parts = [
  { key: "passed", fill: "fill-good", word: "passed" },
  { key: "failed", fill: "fill-bad", word: "failed" },
  { key: "errors", fill: "fill-warn", word: "errors" },
  { key: "skipped", fill: "fill-line-strong", word: "skipped" },
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
      {shown.map(({ key, fill }) => {
        const width = (totals[key] / Math.max(1, of)) * 1000;
        from += width;
        return <rect key={key} x={from - width} y="0" width={width} height="8" className={fill} />;
      })}
    </svg>
  );
}

const amountFills = ["fill-accent", "fill-accent opacity-50"];

export function AmountBar({ amounts, most }: { amounts: readonly number[]; most: number }) {
  let from = 0;
  return (
    <svg viewBox="0 0 1000 8" preserveAspectRatio="none" aria-hidden="true" className="block h-2 w-full">
      {amounts.map((amount, at) => {
        const width = most > 0 ? (amount / most) * 1000 : 0;
        from += width;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts are identified by their position
          <rect key={at} x={from - width} y="0" width={width} height="8" className={amountFills[at % 2] ?? ""} />
        );
      })}
    </svg>
  );
}
