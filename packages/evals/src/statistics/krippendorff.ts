/**
 * - `krippendorffAlpha(units, level)` agreement of any number of judges, with missing votes. A unit is the list of its votes;
 *   units with fewer than two are ignored. Null with fewer than two values to pair; 1 if all votes are equal.
 */
export type MeasurementLevel = "nominal" | "ordinal" | "interval";

/** Below this, a criterion does not gate. */
export const leastGatingAlpha = 0.667;

export function krippendorffAlpha(units: readonly (readonly number[])[], level: MeasurementLevel): number | null {
  const pairable = units.filter((votes) => votes.length >= 2);
  if (pairable.length === 0) return null;
  const values = [...new Set(pairable.flat())].sort((one, other) => one - other);
  const place = new Map(values.map((value, index) => [value, index]));
  const size = values.length;
  const coincidences = new Float64Array(size * size);
  for (const votes of pairable) {
    const counts = new Map<number, number>();
    for (const vote of votes) counts.set(place.get(vote)!, (counts.get(place.get(vote)!) ?? 0) + 1);
    for (const [one, many] of counts) {
      for (const [other, more] of counts) {
        const pairs = one === other ? many * (many - 1) : many * more;
        coincidences[one * size + other]! += pairs / (votes.length - 1);
      }
    }
  }
  const marginals = values.map((_, one) =>
    values.reduce((sum, _v, other) => sum + coincidences[one * size + other]!, 0),
  );
  const all = marginals.reduce((sum, many) => sum + many, 0);
  let observed = 0;
  let expected = 0;
  for (let one = 0; one < size; one++) {
    for (let other = one + 1; other < size; other++) {
      const distance = squaredDistance(values, marginals, one, other, level);
      observed += coincidences[one * size + other]! * distance;
      expected += marginals[one]! * marginals[other]! * distance;
    }
  }
  return expected === 0 ? 1 : 1 - ((all - 1) * observed) / expected;
}

function squaredDistance(
  values: readonly number[],
  marginals: readonly number[],
  one: number,
  other: number,
  level: MeasurementLevel,
): number {
  if (level === "nominal") return 1;
  if (level === "interval") return (values[one]! - values[other]!) ** 2;
  let between = -(marginals[one]! + marginals[other]!) / 2;
  for (let rank = one; rank <= other; rank++) between += marginals[rank]!;
  return between ** 2;
}
