/**
 * Measures one suite: pairs, counts, differences and unadjusted p-values.
 *
 * - `measureSuite(suite, tier, a, b, options)`.
 */
import type { EvalTier } from "@devflow/protocol";
import { type MeasuredBudget, measureBudgets } from "./budget-findings.ts";
import type { CountedPair } from "./case-changes.ts";
import type { CompareOptions } from "./compare-options.ts";
import { type MeasuredCriterion, measureCriteria } from "./criterion-findings.ts";
import { type JudgeConflict, judgeConflict } from "./judge-identity.ts";
import { type Pairing, pairCases } from "./pair-cases.ts";
import { countPair, isComparable, withErrorsAsFailures } from "./pair-counts.ts";
import { type MeasuredPass, measurePass } from "./pass-finding.ts";
import { isQuarantined } from "./quarantine.ts";
import type { ComparedRun } from "./side.ts";

/** From this many on, the garbage of each step is worth collecting before the next. */
const manyPairs = 20_000;
const nothing = () => {};

export interface MeasuredSuite {
  readonly suite: string;
  readonly tier: EvalTier;
  readonly a: readonly ComparedRun[];
  readonly b: readonly ComparedRun[];
  readonly pairing: Pairing;
  readonly quarantined: readonly string[];
  /** Pairs with results on both sides that are not quarantined; some may have only errors. */
  readonly tried: readonly CountedPair[];
  readonly compared: readonly CountedPair[];
  readonly pass: MeasuredPass | null;
  readonly criteria: readonly MeasuredCriterion[];
  readonly budgets: readonly MeasuredBudget[];
  readonly judges: JudgeConflict | null;
  readonly isRefused: boolean;
}

export function measureSuite(
  suite: string,
  tier: EvalTier,
  a: readonly ComparedRun[],
  b: readonly ComparedRun[],
  options: CompareOptions,
): MeasuredSuite {
  const pairing = pairCases(a, b);
  const rest = pairing.pairs.length > manyPairs ? (options.rest ?? nothing) : nothing;
  rest();
  const judges = judgeConflict(
    a.map(({ run }) => run),
    b.map(({ run }) => run),
  );
  const isRefused = judges?.isCertain === true && options.mixJudges !== true && a.length > 0 && b.length > 0;
  const firstOfB = b.reduce((first, { run }) => (first === "" || run.at < first ? run.at : first), "");
  const counted = pairing.pairs.map((pair) => ({ pair, counts: countPair(pair) }));
  const isOut = ({ pair }: CountedPair) =>
    isQuarantined(options.quarantines ?? [], { suite, name: pair.b.name }, firstOfB);
  const hasQuarantines = (options.quarantines ?? []).length > 0;
  const quarantined = hasQuarantines ? counted.filter(isOut).map(({ pair }) => pair.b.name) : [];
  const free = hasQuarantines ? counted.filter((one) => !isOut(one)) : counted;
  const tried = isRefused ? [] : free.filter(({ counts }) => isComparable(withErrorsAsFailures(counts)));
  const compared = tried.filter(({ counts }) => isComparable(counts));
  const pairs = tried.map(({ pair }) => pair);
  return {
    suite,
    tier,
    a,
    b,
    pairing,
    quarantined,
    tried,
    compared,
    pass: measurePass(compared.map(({ counts }) => counts)),
    criteria: options.passOnly
      ? []
      : measureCriteria(
          compared.map(({ pair }) => pair),
          options.criteria ?? {},
          rest,
        ),
    budgets: isRefused || options.passOnly ? [] : measureBudgets(pairs, { a, b }, rest),
    judges,
    isRefused,
  };
}
