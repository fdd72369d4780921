/**
 * The values of many cases on two sides.
 *
 * - `ScoreCase` one case with any number of values; `SingleScores` one value a side for each case, as columns, because hundreds
 *   of thousands of cases as objects would take a hundred megabytes for each criterion.
 * - `ScoreCases` either; `mapScores`, `sideValues`, `caseCount` read both.
 */
export interface ScoreCase {
  readonly a: readonly number[];
  readonly b: readonly number[];
}

export interface SingleScores {
  readonly a: Float64Array;
  readonly b: Float64Array;
}

export type ScoreCases = readonly ScoreCase[] | SingleScores;

export function isSingle(cases: ScoreCases): cases is SingleScores {
  return !Array.isArray(cases);
}

export function caseCount(cases: ScoreCases): number {
  return isSingle(cases) ? cases.a.length : cases.length;
}

export function mapScores(cases: ScoreCases, change: (value: number) => number): ScoreCases {
  if (isSingle(cases)) return { a: cases.a.map(change), b: cases.b.map(change) };
  return cases.map(({ a, b }) => ({ a: a.map(change), b: b.map(change) }));
}

/** All values of one side. */
export function sideValues(cases: ScoreCases, side: "a" | "b"): Float64Array {
  return isSingle(cases) ? cases[side] : Float64Array.from(cases.flatMap((one) => one[side]));
}

/** The mean of the cases' means. */
export function meanOfMeans(cases: ScoreCases, side: "a" | "b"): number {
  if (isSingle(cases)) return meanOf(cases[side]);
  return meanOf(Float64Array.from(cases, (one) => meanOf(Float64Array.from(one[side]))));
}

export function meanOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
