/** How a comparison is asked for; everything has a default. */
import type { EvalResult, EvalRun } from "../results/result.ts";
import type { CountPoint } from "../statistics/index.ts";
import type { Quarantine } from "./quarantine.ts";

export interface CriterionRule {
  readonly direction?: "higher" | "lower";
  readonly scale?: readonly [number, number];
  readonly gates?: boolean;
  /** Krippendorff's alpha of its judge; below .667 it does not gate. */
  readonly agreement?: number | null;
}

export interface BudgetFloors {
  /** Mean cost of a result, in dollars. */
  readonly cost: number;
  readonly latency: number;
  readonly turns: number;
  readonly tools: number;
}

export interface CompareOptions {
  /** .05; an alert per arriving run uses .01. */
  readonly alpha?: number;
  readonly criteria?: Readonly<Record<string, CriterionRule>>;
  /** Least absolute change that a budget verdict needs. */
  readonly floors?: Partial<BudgetFloors>;
  /** What one result cost, when prices are known better than the file knows them. */
  readonly costOf?: (result: EvalResult, run: EvalRun) => number | null;
  readonly mixJudges?: boolean;
  readonly quarantines?: readonly Quarantine[];
  /** A case's earlier results, oldest first, before side A's own. */
  readonly history?: (suite: string, name: string, inputSha: string | null) => readonly CountPoint[];
  /** Days between the newest run of A and of B from which the baseline is called stale. */
  readonly staleAfterDays?: number;
  /** Commits between the two sides, where the caller knows them. */
  readonly distance?: number | null;
  /** The drop that matters, for "how many more runs". */
  readonly drop?: number;
  /** Longest excerpt of an expected, actual or output text. */
  readonly excerpt?: number;
  /** Leave out what only explains: power, excerpts, the A/A check. */
  readonly verdictOnly?: boolean;
}

export const defaultFloors: BudgetFloors = { cost: 0.0005, latency: 50, turns: 0.5, tools: 0.5 };
export const defaultAlpha = 0.05;
export const defaultStaleAfterDays = 3;
export const defaultDrop = 0.05;
export const defaultExcerpt = 400;
