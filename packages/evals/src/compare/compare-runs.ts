/**
 * Decides whether B is worse than A.
 *
 * - `compareRuns(a, b, options)` a plain report. Each side is all runs of one state, pooled as repeats. Suites and tiers are
 *   compared separately. α is shared by Holm's method over everything that can set the exit code; budgets are a separate
 *   family.
 */
import { type EvalTier, evalVerdicts } from "@devflow/protocol/eval-enums";
import { benjaminiHochberg, holm } from "../statistics/index.ts";
import { type CompareOptions, defaultAlpha } from "./compare-options.ts";
import type { CompareReport, CompareWarning, SideSummary, SuiteReport } from "./compare-report.ts";
import { type MeasuredSuite, measureSuite } from "./measure-suite.ts";
import { headlineFor } from "./reason.ts";
import { warningsOf } from "./run-warnings.ts";
import type { ComparedRun } from "./side.ts";
import { suiteTierKey } from "./stored-runs.ts";
import { type AdjustedPs, suiteReport } from "./suite-report.ts";
import { variantKey, variantTitle } from "./variant.ts";
import { worstOf } from "./verdict.ts";

export function compareRuns(
  a: readonly ComparedRun[],
  b: readonly ComparedRun[],
  options: CompareOptions = {},
): CompareReport {
  const cells = suitesOf(a, b);
  const measured = cells.map((cell) => measureSuite(cell, options));
  const adjusted = adjustAll(measured);
  const inOrder = measured.map((one, i) => suiteReport(one, adjusted.suites[i]!, options));
  // Regressions first, then in the order of the verdicts, then by name.
  const suites = inOrder.toSorted(
    (one, other) => evalVerdicts.indexOf(one.verdict) - evalVerdicts.indexOf(other.verdict),
  );
  const isCompared = suites.some(({ pairs }) => pairs.compared > 0);
  const verdict = worstOf(suites.map((suite) => suite.verdict));
  return {
    schema: "eval-compare@1",
    verdict,
    headline: headlineFor(verdict, suites, isCompared),
    isCompared,
    alpha: options.alpha ?? defaultAlpha,
    familySize: adjusted.familySize,
    a: summaryOf(a),
    b: summaryOf(b),
    suites,
    warnings: [
      ...(suites.length === 0 ? [nothing] : []),
      ...cells.flatMap(({ warnings }) => warnings),
      ...warningsFor(measured, inOrder, options),
    ],
  };
}

const nothing: CompareWarning = {
  kind: "nothing compared",
  suite: null,
  text: "Nothing was compared: neither side has a run.",
};

interface Cell {
  readonly suite: string;
  readonly tier: EvalTier;
  readonly variant: string | null;
  readonly runsA: readonly ComparedRun[];
  readonly runsB: readonly ComparedRun[];
  readonly warnings: readonly CompareWarning[];
}

/** Suites and tiers, and the cells of a matrix, each compared on its own. */
function suitesOf(a: readonly ComparedRun[], b: readonly ComparedRun[]): Cell[] {
  const keyOf = ({ run }: ComparedRun) => suiteTierKey(run);
  const [sideA, sideB] = [Map.groupBy(a, keyOf), Map.groupBy(b, keyOf)];
  return [...new Set([...sideA.keys(), ...sideB.keys()])]
    .sort()
    .flatMap((key) => cellsOf(sideA.get(key) ?? [], sideB.get(key) ?? []));
}

function cellsOf(a: readonly ComparedRun[], b: readonly ComparedRun[]): Cell[] {
  const { suite, tier } = (a[0] ?? (b[0] as ComparedRun)).run;
  const keyOf = ({ run }: ComparedRun) => variantKey(run);
  const [cellsA, cellsB] = [Map.groupBy(a, keyOf), Map.groupBy(b, keyOf)];
  const whole = (warnings: readonly CompareWarning[] = []): Cell[] => [
    { suite, tier, variant: null, runsA: a, runsB: b, warnings },
  ];
  if (cellsA.size === 0 || cellsB.size === 0) return whole();
  if (cellsA.size === 1 && cellsB.size === 1) {
    const [one, other] = [titleOf(a), titleOf(b)];
    const text = `The models differ: A is ${one}, B is ${other}. The verdict is about the model as much as about the code.`;
    return whole(one === other ? [] : [{ kind: "models differ", suite, text }]);
  }
  const common = [...cellsB.keys()].filter((key) => cellsA.has(key)).sort();
  const alone = (cells: ReadonlyMap<string, readonly ComparedRun[]>, others: ReadonlyMap<string, unknown>) =>
    [...cells].filter(([key]) => !others.has(key)).map(([, runs]) => titleOf(runs));
  const warnings = [
    ...alone(cellsA, cellsB).map((title) => oneSided(suite, title, "A")),
    ...alone(cellsB, cellsA).map((title) => oneSided(suite, title, "B")),
  ];
  if (common.length === 0) return [{ suite, tier, variant: null, runsA: [], runsB: b, warnings }];
  return common.map((key, at) => {
    const [runsA, runsB] = [cellsA.get(key) ?? [], cellsB.get(key) ?? []];
    return { suite, tier, variant: titleOf(runsB), runsA, runsB, warnings: at === 0 ? warnings : [] };
  });
}

const titleOf = (runs: readonly ComparedRun[]): string => (runs[0] && variantTitle(runs[0].run)) ?? "no model named";

const oneSided = (suite: string, title: string, side: "A" | "B"): CompareWarning => ({
  kind: "one side only",
  suite,
  text: `${title} was run on side ${side} only and is not compared.`,
});

/** One family for what can set exit code 1, one for the budgets, and q-values for the rest. */
function adjustAll(measured: readonly MeasuredSuite[]): { suites: AdjustedPs[]; familySize: number } {
  const gating = family();
  const shown = family();
  const budgets = family();
  const places = measured.map((suite) => ({
    pass: suite.pass ? gating.add(suite.pass.p) : null,
    criteria: suite.criteria.map(({ gates, p }) => ({ gates, place: (gates ? gating : shown).add(p) })),
    budgets: suite.budgets.map(({ gates, p }) => (gates && p !== null ? budgets.add(p) : null)),
  }));
  const [forGating, forShown, forBudgets] = [holm(gating.ps), benjaminiHochberg(shown.ps), holm(budgets.ps)];
  return {
    familySize: gating.ps.length,
    suites: places.map((place) => ({
      pass: place.pass === null ? 1 : forGating[place.pass]!,
      criteria: place.criteria.map((one) => (one.gates ? forGating : forShown)[one.place]!),
      budgets: place.budgets.map((one) => (one === null ? null : forBudgets[one]!)),
    })),
  };
}

function family() {
  const ps: number[] = [];
  return { ps, add: (p: number) => ps.push(p) - 1 };
}

function warningsFor(
  measured: readonly MeasuredSuite[],
  suites: readonly SuiteReport[],
  options: CompareOptions,
): CompareWarning[] {
  return measured.flatMap((one, i) => {
    const { errors, pairs, suite } = suites[i]!;
    const warnings = warningsOf(one, options);
    if (errors.isFinding || errors.lostPairs > 0) {
      const more = errors.isFinding ? `Errors changed from ${errors.a} to ${errors.b}. ` : "";
      const lost = `${errors.lostPairs} of ${pairs.compared + errors.lostPairs} cases lost to errors`;
      const text = `${more}${lost}; with errors counted as failures: ${errors.verdictAsFailures}.`;
      warnings.push({ kind: "errors", suite, text });
    }
    return warnings;
  });
}

function summaryOf(side: readonly ComparedRun[]): SideSummary {
  const times = side.map(({ run }) => run.at).sort();
  const distinct = (values: (string | null)[]) => [...new Set(values.filter((value) => value !== null))];
  return {
    runs: side.map(({ run }) => run.runId),
    shas: distinct(side.map(({ run }) => run.gitSha)),
    labels: distinct(side.map(({ run }) => run.label)),
    from: times[0] ?? null,
    to: times.at(-1) ?? null,
  };
}
