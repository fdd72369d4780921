/**
 * Collects one number per result over pairs of cases.
 *
 * - `pairedValues(pairs, fill)` the values of each pair that has some on both sides; `fill` adds those of one case. As columns, as
 *   long as no case has two.
 */
import type { ScoreCase, ScoreCases } from "../statistics/index.ts";
import type { CasePair } from "./pair-cases.ts";
import type { SideCase } from "./side.ts";

type Fill = (one: SideCase, side: "a" | "b", into: number[]) => void;

export function pairedValues(pairs: readonly CasePair[], fill: Fill): ScoreCases {
  const singles = { a: new Float64Array(pairs.length), b: new Float64Array(pairs.length) };
  let count = 0;
  let cases: ScoreCase[] | null = null;
  const [ofA, ofB]: [number[], number[]] = [[], []];
  for (const { a, b } of pairs) {
    ofA.length = 0;
    ofB.length = 0;
    fill(a, "a", ofA);
    fill(b, "b", ofB);
    if (ofA.length === 0 || ofB.length === 0) continue;
    if (cases === null && ofA.length === 1 && ofB.length === 1) {
      singles.a[count] = ofA[0]!;
      singles.b[count++] = ofB[0]!;
    } else {
      cases ??= Array.from({ length: count }, (_, at) => ({ a: [singles.a[at]!], b: [singles.b[at]!] }));
      cases.push({ a: [...ofA], b: [...ofB] });
    }
  }
  return cases ?? { a: singles.a.slice(0, count), b: singles.b.slice(0, count) };
}
