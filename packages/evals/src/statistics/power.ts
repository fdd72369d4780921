/**
 * Sample sizes for two-sided α = .05 and power .80.
 *
 * - `pairsNeeded(discordance, drop)` pairs with one result per side (Connor 1987).
 * - `runsNeeded(plan)` runs per side for a number of cases.
 * - `smallestVisibleDrop(plan)` the smallest drop of the pass rate that would be detected; below 50 results per side the real
 *   test is simulated, above that the formula is solved. Null if not even a drop to zero would be detected.
 * - `simulatedPower(plan)` how often the exact test detects a drop.
 */
import { z95, zPower80 } from "./normal.ts";
import { seededRandom } from "./seeded-random.ts";
import { stratifiedTest } from "./stratified-test.ts";

export function pairsNeeded(discordance: number, drop: number): number {
  const delta = Math.abs(drop);
  const root = z95 * Math.sqrt(discordance) + zPower80 * Math.sqrt(Math.max(0, discordance - delta * delta));
  return Math.ceil(root ** 2 / (delta * delta));
}

export interface RunsPlan {
  readonly cases: number;
  /** Pass rate of a typical case before the drop; the mean of p(1 − p) over cases can be given instead. */
  readonly passRate: number;
  readonly drop: number;
  readonly variance?: number;
}

export function runsNeeded({ cases, passRate, drop, variance }: RunsPlan): number {
  const delta = Math.abs(drop);
  const lower = Math.max(0, passRate - delta);
  const binomial = passRate * (1 - passRate);
  const before = variance ?? binomial;
  // Cases differ, so each varies less than a coin with the mean rate. The same reduction is assumed after the drop.
  const after = lower * (1 - lower) * (variance === undefined || binomial === 0 ? 1 : variance / binomial);
  const root = (z95 + zPower80) * Math.sqrt(before + after);
  return Math.ceil(root ** 2 / (cases * delta * delta) + 1);
}

export interface VisiblePlan {
  readonly cases: number;
  readonly runsA: number;
  readonly runsB: number;
  readonly passRate: number;
}

const simulateBelow = 50;

export function smallestVisibleDrop(plan: VisiblePlan): number | null {
  const { cases, runsA, runsB, passRate } = plan;
  if (cases < 1 || runsA < 1 || runsB < 1 || passRate <= 0) return null;
  const fewer = cases * Math.min(runsA, runsB);
  const isVisible =
    fewer < simulateBelow
      ? (drop: number) => simulatedPower({ ...plan, drop, trials: 300 }) >= 0.8
      : (drop: number) => cases >= casesNeeded(plan, drop);
  if (!isVisible(passRate)) return null;
  let low = 0;
  let high = passRate;
  while (high - low > 0.005) {
    const middle = (low + high) / 2;
    if (isVisible(middle)) high = middle;
    else low = middle;
  }
  return Math.min(passRate, Math.ceil(high * 100 - 1e-9) / 100);
}

/** The formula of `runsNeeded` for sides of unequal size; with one result per side, Connor's pairs. */
function casesNeeded({ runsA, runsB, passRate }: VisiblePlan, drop: number): number {
  const lower = Math.max(0, passRate - drop);
  const before = passRate * (1 - passRate);
  const after = lower * (1 - lower);
  if (runsA === 1 && runsB === 1) return pairsNeeded(before + after + drop * drop, drop);
  const perCase = before / runsA + after / runsB;
  const correction = Math.max(runsA, runsB) / Math.max(1, Math.max(runsA, runsB) - 1);
  return ((z95 + zPower80) ** 2 * perCase * correction) / (drop * drop);
}

export interface SimulatedPlan extends VisiblePlan {
  readonly drop: number;
  readonly trials?: number;
  readonly seed?: string;
}

export function simulatedPower(plan: SimulatedPlan): number {
  const { cases, runsA, runsB, passRate, drop, trials = 1000, seed = "power" } = plan;
  const random = seededRandom(seed);
  const count = (results: number, rate: number) => {
    let passes = 0;
    for (let i = 0; i < results; i++) if (random.fraction() < rate) passes++;
    return passes;
  };
  let seen = 0;
  for (let trial = 0; trial < trials; trial++) {
    const drawn = Array.from({ length: cases }, () => ({
      passesA: count(runsA, passRate),
      resultsA: runsA,
      passesB: count(runsB, Math.max(0, passRate - drop)),
      resultsB: runsB,
    }));
    const { p, atMost } = stratifiedTest(drawn);
    if (p <= 0.05 && atMost < 0.5) seen++;
  }
  return seen / trials;
}
