/**
 * Measures one suite: pairs, counts, differences and unadjusted p-values.
 *
 * - `measureSuite(sides, options)`.
 */
import type { EvalTier } from "@devflow/protocol";
import { type MeasuredBudget, measureBudgets } from "./budget-findings.ts";
import type { CasePairs } from "./case-pairs.ts";
import type { CompareOptions } from "./compare-options.ts";
import { type MeasuredCriterion, measureCriteria } from "./criterion-findings.ts";
import { type JudgeConflict, judgeConflict } from "./judge-identity.ts";
import { type Pairing, pairCases } from "./pair-cases.ts";
import { countPairs, isComparable, type PairCounts, withErrorsAsFailures } from "./pair-counts.ts";
import { type MeasuredPass, measurePass } from "./pass-finding.ts";
import { isQuarantined } from "./quarantine.ts";
import { sequentialCriteria, sequentialPass } from "./sequential-findings.ts";
import type { ComparedRun } from "./side.ts";

/** From this many on, the garbage of each step is worth collecting before the next. */
const manyPairs = 20_000;
const nothing = () => {};

/** Some of the pairs, with the counts of each. */
export interface ChosenPairs {
  readonly pairs: CasePairs;
  /** Their places in `pairs`. */
  readonly chosen: Uint32Array;
  readonly counts: readonly PairCounts[];
}

export interface MeasuredSuite {
  readonly suite: string;
  readonly tier: EvalTier;
  readonly variant: string | null;
  readonly a: readonly ComparedRun[];
  readonly b: readonly ComparedRun[];
  readonly pairing: Pairing;
  readonly quarantined: readonly string[];
  /** Pairs with results on both sides that are not quarantined; some may have only errors. */
  readonly tried: ChosenPairs;
  readonly compared: ChosenPairs;
  readonly pass: MeasuredPass | null;
  readonly criteria: readonly MeasuredCriterion[];
  readonly budgets: readonly MeasuredBudget[];
  readonly judges: JudgeConflict | null;
  readonly isRefused: boolean;
  /** Collects garbage, if there are many pairs. */
  readonly rest: () => void;
}

export interface SuiteSides {
  readonly suite: string;
  readonly tier: EvalTier;
  /** Which cell of a matrix; null if the suite has only one. */
  readonly variant: string | null;
  readonly runsA: readonly ComparedRun[];
  readonly runsB: readonly ComparedRun[];
}

export function measureSuite(
  { suite, tier, variant, runsA: a, runsB: b }: SuiteSides,
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
  const counts = countPairs(pairing.pairs);
  const quarantines = (options.quarantines ?? []).filter((one) => one.suite === suite);
  const isOut = (i: number) =>
    quarantines.length > 0 && isQuarantined(quarantines, { suite, name: pairing.pairs.at(i).b.name }, firstOfB);
  const all = Uint32Array.from(counts.keys());
  const free = all.filter((i) => !isOut(i));
  const quarantined = quarantines.length === 0 ? [] : [...all].filter(isOut).map((i) => pairing.pairs.at(i).b.name);
  const choose = (isChosen: (counts: PairCounts) => boolean): ChosenPairs => {
    const chosen = isRefused ? new Uint32Array() : free.filter((i) => isChosen(counts[i]!));
    return { pairs: pairing.pairs, chosen, counts: Array.from(chosen, (i) => counts[i]!) };
  };
  const tried = choose((one) => isComparable(withErrorsAsFailures(one)));
  const compared = choose(isComparable);
  const pass = measurePass(compared.counts);
  const criteria = options.passOnly ? [] : measureCriteria(compared, options.criteria ?? {}, rest);
  return {
    suite,
    tier,
    variant,
    a,
    b,
    pairing,
    quarantined,
    tried,
    compared,
    pass: pass && options.sequential ? sequentialPass(pass, compared) : pass,
    criteria: options.sequential ? sequentialCriteria(criteria, compared) : criteria,
    budgets: isRefused || options.passOnly ? [] : measureBudgets(tried, { a, b }, rest),
    judges,
    isRefused,
    rest,
  };
}
