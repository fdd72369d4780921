/** One suite of a comparison: differences in pass rate, scores and budgets, and the cases that changed. */
import type { EvalSuiteComparison, EvalVerdict } from "@devflow/protocol";
import {
  milliseconds,
  percent,
  plural,
  points,
  pValue,
  score,
  signed,
  usd,
  verdictWord,
} from "../../model/evals/eval-words.ts";
import { IntervalMark } from "../../parts/charts/interval-mark.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { ChangedCases } from "./changed-cases.tsx";

export function SuiteComparison({ of, alpha }: { of: EvalSuiteComparison; alpha: number }) {
  return (
    <section aria-label={[of.suite, of.tier, of.variant].filter(Boolean).join(", ")} className="grid grid-cols-1 gap-6">
      <div className="overflow-hidden rounded-panel border border-line bg-raised">
        <header className="border-b border-line p-4">
          <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
            <h2 className="text-body">
              {of.suite} <span className="font-normal text-ink-soft">{of.tier}</span>
              {of.variant && <span className="font-normal"> · {of.variant}</span>}
            </h2>
            <StateWord {...verdictWord(of.verdict)} />
          </div>
          <p className="mt-1 break-words">{of.refused ?? of.reason}</p>
          {of.power && <p className="mt-1 break-words text-ink-soft">{of.power.text}</p>}
        </header>
        <Findings of={of} />
      </div>
      <ChangedCases
        title="Broke"
        changes={of.broken}
        count={of.brokenCount}
        suite={of.suite}
        alpha={alpha}
        none="No case broke"
      />
      <ChangedCases
        title="Fixed"
        changes={of.fixed}
        count={of.fixedCount}
        suite={of.suite}
        alpha={alpha}
        none="No case was fixed"
      />
      <OtherCases of={of} />
    </section>
  );
}

interface Finding {
  readonly name: string;
  readonly a: string;
  readonly b: string;
  readonly change: string;
  readonly mark: {
    readonly value: number;
    readonly low: number;
    readonly high: number;
    readonly range: readonly [number, number];
  } | null;
  readonly verdict: EvalVerdict;
  readonly proof: string;
}

function findingsOf(of: EvalSuiteComparison): Finding[] {
  const { pass } = of;
  const rows: Finding[] = [];
  if (pass) {
    rows.push({
      name: "Pass rate",
      a: percent(pass.rateA),
      b: percent(pass.rateB),
      change: `${points(pass.difference)}, ${signed(pass.interval.low * 100, 1)} to ${signed(pass.interval.high * 100, 1)}`,
      mark: { value: pass.difference, ...pass.interval, range: around(pass.interval, 0.1) },
      verdict: pass.verdict,
      proof: `${pValue(pass.pAdjusted)}, ${pass.method}, ${plural(pass.cases, "case")}`,
    });
  }
  for (const one of of.criteria) {
    rows.push({
      name: one.criterion,
      a: score(one.meanA),
      b: score(one.meanB),
      change: one.interval
        ? `${signed(one.difference, 3)}, ${signed(one.interval.low, 3)} to ${signed(one.interval.high, 3)}`
        : signed(one.difference, 3),
      mark: one.interval && {
        value: one.difference,
        ...one.interval,
        range: around(one.interval, (one.scale[1] - one.scale[0]) / 10),
      },
      verdict: one.verdict,
      proof: one.gates ? pValue(one.pAdjusted ?? one.p) : (one.notGatingBecause ?? "does not gate"),
    });
  }
  const amount = { USD: usd, ms: milliseconds, count: (value: number) => value.toFixed(1) };
  for (const one of of.budgets) {
    const ratio = one.ratio === null ? "–" : `× ${one.ratio.toFixed(2)}`;
    rows.push({
      name: one.measure,
      a: amount[one.unit](one.valueA),
      b: amount[one.unit](one.valueB),
      change: one.interval ? `${ratio}, ${one.interval.low.toFixed(2)} to ${one.interval.high.toFixed(2)}` : ratio,
      mark:
        one.interval && one.ratio !== null
          ? {
              value: one.ratio - 1,
              low: one.interval.low - 1,
              high: one.interval.high - 1,
              range: around({ low: one.interval.low - 1, high: one.interval.high - 1 }, 0.2),
            }
          : null,
      verdict: one.verdict,
      proof: one.notGatingBecause ?? (one.pAdjusted === null ? "" : pValue(one.pAdjusted)),
    });
  }
  return rows;
}

/** A range with zero in the middle, wide enough that noise does not look large. */
function around({ low, high }: { low: number; high: number }, least: number): readonly [number, number] {
  const extent = Math.max(least, Math.abs(low), Math.abs(high));
  return [-extent, extent];
}

function Findings({ of }: { of: EvalSuiteComparison }) {
  const rows = findingsOf(of);
  if (rows.length === 0) return null;
  return (
    <table className="w-full border-collapse text-left">
      <caption className="sr-only">Differences between A and B</caption>
      <thead>
        <tr className="h-8 border-b border-line bg-sunken text-meta text-ink-soft">
          <th scope="col" className="px-4 font-normal">
            Measure
          </th>
          <th scope="col" className="hidden px-3 text-right font-normal wide:table-cell">
            A
          </th>
          <th scope="col" className="hidden px-3 text-right font-normal wide:table-cell">
            B
          </th>
          <th scope="col" className="hidden px-3 font-normal wide:table-cell">
            Change (95 % interval)
          </th>
          <th scope="col" className="px-3 font-normal">
            Verdict
          </th>
        </tr>
      </thead>
      <tbody className="divide-y divide-line">
        {rows.map((row) => (
          <tr key={row.name} className="h-12">
            <th scope="row" className="px-4 font-medium">
              {row.name}
              <span className="block text-meta font-normal text-ink-soft tabular-nums wide:hidden">
                {row.a} → {row.b}
              </span>
            </th>
            <td className="hidden px-3 text-right whitespace-nowrap tabular-nums wide:table-cell">{row.a}</td>
            <td className="hidden px-3 text-right whitespace-nowrap tabular-nums wide:table-cell">{row.b}</td>
            <td className="hidden px-3 wide:table-cell">
              <span className="flex items-center gap-3">
                {row.mark && <IntervalMark {...row.mark} zero width={120} tone={toneOf(row.verdict)} />}
                <span className="text-meta tabular-nums">{row.change}</span>
              </span>
            </td>
            <td className="px-3">
              <StateWord {...verdictWord(row.verdict)} />
              <span className="block text-meta text-ink-soft">{row.proof}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function toneOf(verdict: EvalVerdict): "good" | "bad" | "calm" {
  return verdict === "regression" ? "bad" : verdict === "improvement" ? "good" : "calm";
}

/** Cases that are on one side only, were renamed, or are quarantined. */
function OtherCases({ of }: { of: EvalSuiteComparison }) {
  const lists = [
    { title: "New cases", names: of.added.map(({ name }) => name), count: of.pairs.added },
    { title: "Removed cases", names: of.removed.map(({ name }) => name), count: of.pairs.removed },
    { title: "Renamed", names: of.renamed.map(({ from, to }) => `${from} → ${to}`), count: of.pairs.renamed },
    {
      title: "Possible renames",
      names: of.suggestions.map(({ a, b, reason }) => `${a} ~ ${b} (${reason})`),
      count: of.suggestions.length,
    },
    { title: "Quarantined, not counted", names: of.quarantined, count: of.quarantined.length },
  ].filter(({ count }) => count > 0);
  if (lists.length === 0) return null;
  return (
    <div className="grid gap-2">
      {lists.map(({ title, names, count }) => (
        <details key={title} className="rounded-panel border border-line bg-raised px-4 py-2">
          <summary className="min-h-6 font-medium">
            {title} <span className="font-normal text-ink-soft tabular-nums">{count}</span>
          </summary>
          <ul className="mt-2 grid gap-1 break-words">
            {names.map((name) => (
              <li key={name}>{name}</li>
            ))}
          </ul>
        </details>
      ))}
    </div>
  );
}
