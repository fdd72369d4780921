/**
 * - `notePower(compared, options)` what a comparison of this size can detect: the smallest drop, and the number of runs needed
 *   for the drop that matters.
 */
import { runsNeeded, smallestVisibleDrop } from "../statistics/index.ts";
import { type CompareOptions, defaultDrop } from "./compare-options.ts";
import type { PowerNote } from "./compare-report.ts";
import type { PairCounts } from "./pair-counts.ts";

export function notePower(compared: readonly PairCounts[], { drop = defaultDrop }: CompareOptions): PowerNote {
  const cases = compared.length;
  let [passes, results, resultsA, resultsB, spread, spreadCases] = [0, 0, 0, 0, 0, 0];
  for (const counts of compared) {
    resultsA += counts.resultsA;
    resultsB += counts.resultsB;
    passes += counts.passesA;
    results += counts.resultsA;
    if (counts.resultsA > 1) {
      spread += (counts.passesA * (counts.resultsA - counts.passesA)) / (counts.resultsA * (counts.resultsA - 1));
      spreadCases++;
    }
  }
  // No observed failure does not mean a rate of 0, so half a failure is added (Jeffreys).
  const passRate = (passes + 0.5) / (results + 1);
  const runsA = Math.max(1, Math.round(resultsA / cases));
  const runsB = Math.max(1, Math.round(resultsB / cases));
  const visible = smallestVisibleDrop({ cases, runsA, runsB, passRate });
  const isMeasured = spreadCases >= 10 && spread > 0;
  const plan = { cases, passRate, drop: Math.min(drop, passRate) };
  const needed = runsNeeded(isMeasured ? { ...plan, variance: spread / spreadCases } : plan);
  const moreRuns = Math.max(0, needed - Math.min(runsA, runsB));
  return {
    smallestVisibleDrop: visible,
    askedDrop: drop,
    runsNeeded: needed,
    moreRuns,
    text: sentence(visible, drop, needed, moreRuns),
  };
}

function sentence(visible: number | null, drop: number, needed: number, moreRuns: number): string {
  const points = (share: number) => `${Math.round(share * 1000) / 10} points`;
  const sees =
    visible === null
      ? "This many results cannot detect any drop."
      : `This many results detect a drop of ${points(visible)} or more (four times in five).`;
  const needs =
    moreRuns === 0
      ? `That is enough for ${points(drop)}.`
      : `Detecting ${points(drop)} takes ${needed} runs per side: ${moreRuns} more.`;
  return `${sees} ${needs}`;
}
