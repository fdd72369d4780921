/** The unit of every comparison: the passes and results of one case on each side. */
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
