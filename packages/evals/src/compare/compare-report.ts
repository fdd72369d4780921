/**
 * The result of `compare` as plain JSON; the terminal table, the PR comment and the screen are rendered from it. Rates and
 * differences are fractions (0.05 = 5 points); every difference is B − A, where B is the newer side.
 */
import type { EvalTier, EvalVerdict } from "@devflow/protocol";
import type { Interval } from "../statistics/index.ts";

export type Verdict = EvalVerdict;

export interface CompareReport {
  readonly schema: "eval-compare@1";
  readonly verdict: Verdict;
  readonly headline: string;
  /** True if cases were compared in at least one suite. */
  readonly isCompared: boolean;
  readonly alpha: number;
  /** How many tests share α (Holm): suites × {pass, gating criteria}. */
  readonly familySize: number;
  readonly a: SideSummary;
  readonly b: SideSummary;
  readonly suites: readonly SuiteReport[];
  readonly warnings: readonly CompareWarning[];
}

export interface SideSummary {
  readonly runs: readonly string[];
  readonly shas: readonly string[];
  readonly labels: readonly string[];
  readonly from: string | null;
  readonly to: string | null;
}

export type WarningKind =
  | "nothing compared"
  | "low overlap"
  | "stale baseline"
  | "runs of one commit differ"
  | "judges differ"
  | "judge unknown"
  | "errors"
  | "superseded"
  | "models differ"
  | "one side only"
  | "mixed states";

export interface CompareWarning {
  readonly kind: WarningKind;
  readonly suite: string | null;
  readonly text: string;
}

export interface SuiteReport {
  readonly suite: string;
  readonly tier: EvalTier;
  /** The model and prompt variant, if several were compared; each is a row of its own. */
  readonly variant: string | null;
  readonly verdict: Verdict;
  readonly reason: string;
  /** Why the suite was not compared: the judges differ. */
  readonly refused: string | null;
  readonly a: SideNumbers;
  readonly b: SideNumbers;
  readonly pairs: PairNumbers;
  readonly pass: PassFinding | null;
  readonly errors: ErrorFinding;
  readonly change: RawChange;
  readonly broken: readonly CaseChange[];
  readonly fixed: readonly CaseChange[];
  /** Cases that changed between mostly passing and mostly failing, as they did before without any change. */
  readonly wavering: readonly CaseChange[];
  readonly added: readonly CaseLine[];
  /** Failing ones first. */
  readonly removed: readonly CaseLine[];
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
  readonly suggestions: readonly { readonly a: string; readonly b: string; readonly reason: string }[];
  readonly quarantined: readonly string[];
  readonly criteria: readonly CriterionFinding[];
  readonly budgets: readonly BudgetFinding[];
  readonly power: PowerNote | null;
}

export interface SideNumbers {
  readonly runs: number;
  readonly cases: number;
  readonly results: number;
  readonly passed: number;
  readonly failed: number;
  readonly errors: number;
  readonly skipped: number;
}

export interface PairNumbers {
  readonly common: number;
  readonly compared: number;
  readonly added: number;
  readonly removed: number;
  readonly renamed: number;
  /** Common cases as a share of the larger side. */
  readonly overlap: number;
  readonly lostToErrors: number;
  readonly superseded: number;
}

export interface PassFinding {
  readonly verdict: Verdict;
  readonly cases: number;
  readonly rateA: number;
  readonly rateB: number;
  readonly difference: number;
  readonly interval: Interval;
  readonly intervalMethod: "Tango" | "Klingenberg" | "confidence sequence";
  readonly p: number;
  readonly midP: number;
  readonly pAdjusted: number;
  readonly method: "exact McNemar" | "exact stratified" | "normal" | "sequential";
  /** True if the finding stays valid when it is looked at after every run. */
  readonly isSequential?: boolean;
  readonly broke: number;
  readonly fixed: number;
  readonly changed: number;
}

export interface ErrorFinding {
  readonly a: number;
  readonly b: number;
  /** More or fewer errors than before; never sets the exit code. */
  readonly difference: number;
  readonly p: number;
  readonly isFinding: boolean;
  readonly lostPairs: number;
  readonly verdictAsFailures: Verdict;
  readonly differenceAsFailures: number;
  readonly pAsFailures: number;
}

export interface RawChange {
  readonly raw: number;
  readonly common: number;
  readonly added: number;
  readonly removed: number;
}

export interface CaseChange {
  readonly name: string;
  /** B's name if the case was renamed. */
  readonly renamedTo: string | null;
  /** Of B. */
  readonly inputSha: string | null;
  readonly category: string | null;
  readonly passesA: number;
  readonly resultsA: number;
  readonly passesB: number;
  readonly resultsB: number;
  /** One-sided Fisher test of its stable history against the new results, and adjusted by Holm over all cases. */
  readonly p: number;
  readonly pAdjusted: number;
  readonly isProven: boolean;
  /** The results that are shown: a passing one of A and a failing one of B, where there are such. */
  readonly exampleA: ResultPlace | null;
  readonly exampleB: ResultPlace | null;
  /** Texts are given for the first 60 changes of each list. */
  readonly failure: CaseFailure | null;
  readonly outputA: string | null;
  readonly outputB: string | null;
}

export interface ResultPlace {
  /** `suite/id`. */
  readonly run: string;
  readonly ordinal: number;
}

export interface CaseFailure {
  readonly expectationType: string | null;
  readonly criterion: string | null;
  readonly message: string;
  readonly expected: string | null;
  readonly actual: string | null;
}

export interface CaseLine {
  readonly name: string;
  readonly passes: number;
  readonly results: number;
  readonly errors: number;
}

export interface CriterionFinding {
  readonly criterion: string;
  readonly gates: boolean;
  readonly notGatingBecause: string | null;
  readonly direction: "higher" | "lower";
  readonly scale: readonly [number, number];
  readonly verdict: Verdict;
  readonly cases: number;
  readonly meanA: number;
  readonly meanB: number;
  /** In the criterion's units; above 0 means larger, which may be better or worse. */
  readonly difference: number;
  readonly interval: Interval | null;
  readonly p: number;
  /** Adjusted by Holm, if it gates. */
  readonly pAdjusted: number | null;
  /** Benjamini–Hochberg, if it does not gate. */
  readonly q: number | null;
}

const budgetMeasures = ["cost", "latency", "latency p95", "turns", "tools"] as const;
export type BudgetMeasure = (typeof budgetMeasures)[number];

export interface BudgetFinding {
  readonly measure: BudgetMeasure;
  readonly unit: "USD" | "ms" | "count";
  readonly verdict: Verdict;
  readonly gates: boolean;
  readonly notGatingBecause: string | null;
  /** Mean per result; medians for latency, 95th percentiles for p95. */
  readonly valueA: number;
  readonly valueB: number;
  readonly ratio: number;
  readonly interval: Interval | null;
  /** Null for costs of whole runs: only ratio and minimum apply. */
  readonly p: number | null;
  readonly pAdjusted: number | null;
  readonly cases: number;
  readonly leftOut: { readonly cached: number; readonly errored: number; readonly otherHost: number };
}

export interface PowerNote {
  /** The smallest drop of the pass rate that four of five such comparisons would detect; null: none. */
  readonly smallestVisibleDrop: number | null;
  readonly askedDrop: number;
  readonly runsNeeded: number;
  readonly moreRuns: number;
  readonly text: string;
}
