/**
 * Collects one number per result over pairs of cases.
 *
 * - `pairedValues(pairs, fill)` the values of each pair that has some on both sides; `fill` adds those of one result. As columns, as
 *   long as no case has two.
 */
import type { ScoreCase, ScoreCases } from "../statistics/index.ts";
import type { ChosenPairs } from "./measure-suite.ts";

/** Adds the values of one result, given by its row on that side. */
type Fill = (row: number, side: "a" | "b", into: number[]) => void;

export function pairedValues({ pairs, chosen }: ChosenPairs, fill: Fill): ScoreCases {
  const singles = { a: new Float64Array(chosen.length), b: new Float64Array(chosen.length) };
  let count = 0;
  let cases: ScoreCase[] | null = null;
  const [ofA, ofB]: [number[], number[]] = [[], []];
  const { a, b } = pairs;
  for (const i of chosen) {
    ofA.length = 0;
    ofB.length = 0;
    for (let at = a.from(pairs.noA(i)); at < a.to(pairs.noA(i)); at++) fill(a.rowAt(at), "a", ofA);
    for (let at = b.from(pairs.noB(i)); at < b.to(pairs.noB(i)); at++) fill(b.rowAt(at), "b", ofB);
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
