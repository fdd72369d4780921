/** The unit of every comparison: one case, its passes out of its results on each side. */
export interface PassCounts {
  readonly passesA: number;
  readonly resultsA: number;
  readonly passesB: number;
  readonly resultsB: number;
}

/** An interval of B − A, both ends included. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}
