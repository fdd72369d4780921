/**
 * The differences between a new baseline and the previous one.
 *
 * - `baselineChanges(before, now)` what became worse and better, per case and tier; cases added and removed. Nothing is
 *   tested here: `compare` decides whether a difference is more than noise.
 */
import { type Baseline, type BaselineCell, baselineKey } from "./baseline.ts";

export interface BaselineChange {
  readonly name: string;
  readonly tier: string;
  readonly before: string;
  readonly now: string;
}

export interface BaselineChanges {
  readonly worse: readonly BaselineChange[];
  readonly better: readonly BaselineChange[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export function baselineChanges(before: Baseline | undefined, now: Baseline): BaselineChanges {
  const old = new Map((before?.cases ?? []).map((one) => [baselineKey(one), one]));
  const fresh = new Set(now.cases.map(baselineKey));
  const worse: BaselineChange[] = [];
  const better: BaselineChange[] = [];
  for (const one of now.cases) {
    for (const [tier, cell] of Object.entries(one.tiers)) {
      const was = old.get(baselineKey(one))?.tiers[tier];
      if (!was) continue;
      const change = { name: one.name, tier, before: rateText(was), now: rateText(cell) };
      const difference = rateOf(cell) - rateOf(was);
      if (difference < 0) worse.push(change);
      else if (difference > 0) better.push(change);
    }
  }
  return {
    worse,
    better,
    added: now.cases.filter((one) => !old.has(baselineKey(one))).map(({ name }) => name),
    removed: [...old].filter(([key]) => !fresh.has(key)).map(([, { name }]) => name),
  };
}

const rateOf = ({ passed, total }: BaselineCell): number => (total === 0 ? 0 : passed / total);
const rateText = ({ passed, total, errors }: BaselineCell): string =>
  `${passed}/${total}${errors > 0 ? ` and ${errors} errors` : ""}`;
