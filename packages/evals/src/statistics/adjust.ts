/**
 * Adjustments for multiple tests.
 *
 * - `holm(ps, size)` adjusted p-values: the probability of any false alarm in the family stays at α. `size` is that of the whole
 *   family, if tests with p = 1 are left out of the list.
 * - `benjaminiHochberg(ps)` q-values: the expected share of false alarms among the findings.
 *
 * Both keep the order of their input.
 */
export function holm(ps: readonly number[], size = ps.length): number[] {
  const adjusted = new Array<number>(ps.length);
  let highest = 0;
  ascending(ps).forEach((index, rank) => {
    highest = Math.max(highest, Math.min(1, (size - rank) * ps[index]!));
    adjusted[index] = highest;
  });
  return adjusted;
}

export function benjaminiHochberg(ps: readonly number[]): number[] {
  const adjusted = new Array<number>(ps.length);
  let lowest = 1;
  ascending(ps)
    .reverse()
    .forEach((index, fromEnd) => {
      lowest = Math.min(lowest, (ps.length / (ps.length - fromEnd)) * ps[index]!);
      adjusted[index] = lowest;
    });
  return adjusted;
}

function ascending(ps: readonly number[]): number[] {
  return ps.map((_, index) => index).sort((one, other) => ps[one]! - ps[other]!);
}
