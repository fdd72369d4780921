/**
 * - `notePower(compared, options)` what a comparison of this size can see at all: the smallest visible drop first, then
 *   the runs for the drop that matters.
 */
import { runsNeeded, smallestVisibleDrop } from "../statistics/index.ts";
import type { CountedPair } from "./case-changes.ts";
import { type CompareOptions, defaultDrop } from "./compare-options.ts";
import type { PowerNote } from "./compare-report.ts";

export function notePower(compared: readonly CountedPair[], { drop = defaultDrop }: CompareOptions): PowerNote {
  const cases = compared.length;
  let [passes, results, resultsA, resultsB, spread, spreadCases] = [0, 0, 0, 0, 0, 0];
  for (const { counts } of compared) {
    resultsA += counts.resultsA;
    resultsB += counts.resultsB;
    passes += counts.passesA;
    results += counts.resultsA;
    if (counts.resultsA > 1) {
      spread += (counts.passesA * (counts.resultsA - counts.passesA)) / (counts.resultsA * (counts.resultsA - 1));
      spreadCases++;
    }
  }
  // No failure seen is no proof of none: half a failure is added (Jeffreys) before a rate is planned with.
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
      ? "This many results cannot show any drop."
      : `This many results show a drop of ${points(visible)} or more (four times in five).`;
  const needs =
    moreRuns === 0
      ? `They are enough for ${points(drop)}.`
      : `To see ${points(drop)} it takes ${needed} runs a side: ${moreRuns} more.`;
  return `${sees} ${needs}`;
}
