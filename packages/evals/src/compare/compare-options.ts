/** Options of a comparison; all have defaults. */
import type { CountPoint } from "../statistics/index.ts";
import type { Quarantine } from "./quarantine.ts";

export interface CriterionRule {
  readonly direction?: "higher" | "lower";
  readonly scale?: readonly [number, number];
  readonly gates?: boolean;
  /** Krippendorff's alpha of its judges; below .667 the criterion does not gate. */
  readonly agreement?: number | null;
}

export interface BudgetFloors {
  /** Mean cost per result, in dollars. */
  readonly cost: number;
  readonly latency: number;
  readonly turns: number;
  readonly tools: number;
}

export interface CompareOptions {
  /** Default .05; alerts on single runs use .01. */
  readonly alpha?: number;
  readonly criteria?: Readonly<Record<string, CriterionRule>>;
  /** The smallest absolute change for a budget verdict. */
  readonly floors?: Partial<BudgetFloors>;
  readonly mixJudges?: boolean;
  readonly quarantines?: readonly Quarantine[];
  /** A case's results before side A, oldest first. */
  readonly history?: (suite: string, name: string, inputSha: string | null) => readonly CountPoint[];
  /** Days between the newest runs of A and B from which the baseline counts as stale. */
  readonly staleAfterDays?: number;
  /** Commits between the two sides, if known. */
  readonly distance?: number | null;
  /** The smallest drop that matters, for estimating how many more runs are needed. */
  readonly drop?: number;
  /** Maximum length of an excerpt of expected, actual and output text. */
  readonly excerpt?: number;
  /** Compare only passes and failures, not scores, cost and latency. */
  readonly passOnly?: boolean;
  /** Use tests that stay valid when the comparison is repeated after every run. */
  readonly sequential?: boolean;
  /** Collects garbage between the steps of very large comparisons. */
  readonly rest?: () => void;
  /** Leave out explanations: power, excerpts, the A/A check. */
  readonly verdictOnly?: boolean;
}

export const defaultFloors: BudgetFloors = { cost: 0.0005, latency: 50, turns: 0.5, tools: 0.5 };
export const defaultAlpha = 0.05;
export const defaultStaleAfterDays = 3;
export const defaultDrop = 0.05;
export const defaultExcerpt = 400;
