/**
 * Cases that pass and fail while nothing changes.
 *
 * - `findFlaky(runs, options)` per case, over states (commit, prompt, judge, tier) that were run at least twice: the
 *   probability that two results of one state disagree, Σ 2k(r − k)/(r − 1) ÷ Σ r, from 2 %, with Wilson's interval.
 *
 * The pass rate over all history is not used: a case that broke would look flaky.
 */

import { type Interval, stableSegment, total, wilsonInterval } from "../statistics/index.ts";
import { type ComparedRun, inputIdentity } from "./side.ts";
import { stateKey } from "./state-key.ts";
import { variantKey, variantTitle } from "./variant.ts";

export interface FlakyCase {
  readonly suite: string;
  /** The model and prompt variant with which it is flaky. */
  readonly variant: string | null;
  readonly name: string;
  readonly inputSha: string | null;
  readonly rate: number;
  readonly interval: Interval;
  /** States that were run at least twice, those that had both a pass and a fail, and the results in them. */
  readonly states: number;
  readonly mixedStates: number;
  readonly results: number;
  /** Pass rate since its last lasting change. */
  readonly passRate: number;
  readonly lastMixedAt: string;
}

const leastFlakyRate = 0.02;

export function findFlaky(runs: readonly ComparedRun[], { least = leastFlakyRate } = {}): FlakyCase[] {
  const cases = new Map<string, SeenCase>();
  for (const { run, results } of [...runs].sort((one, other) => (one.run.at < other.run.at ? -1 : 1))) {
    const state = stateKey(run);
    for (const result of results) {
      if (result.status !== "pass" && result.status !== "fail") continue;
      const inputSha = inputIdentity(result);
      const key = [run.suite, run.tier, variantKey(run), inputSha ?? "", result.name].join("\u0000");
      let own = cases.get(key);
      if (!own) {
        own = { suite: run.suite, variant: variantTitle(run), name: result.name, inputSha, states: new Map() };
        cases.set(key, own);
      }
      const counts = own.states.get(state) ?? { passes: 0, results: 0, at: run.at };
      counts.results++;
      if (result.status === "pass") counts.passes++;
      counts.at = run.at;
      own.states.set(state, counts);
    }
  }
  return [...cases.values()]
    .flatMap((one) => flakinessOf(one) ?? [])
    .filter(({ rate }) => rate >= least)
    .sort((one, other) => other.rate - one.rate || (one.name < other.name ? -1 : 1));
}

interface State {
  passes: number;
  results: number;
  at: string;
}

interface SeenCase {
  readonly suite: string;
  readonly variant: string | null;
  readonly name: string;
  readonly inputSha: string | null;
  readonly states: Map<string, State>;
}

function flakinessOf(one: SeenCase) {
  const all = [...one.states.values()];
  const repeated = all.filter(({ results }) => results >= 2);
  const mixed = repeated.filter(({ passes, results }) => passes > 0 && passes < results);
  const last = mixed.at(-1);
  if (!last) return null;
  const results = repeated.reduce((sum, state) => sum + state.results, 0);
  const disagreements = repeated.reduce((sum, { passes: k, results: r }) => sum + (2 * k * (r - k)) / (r - 1), 0);
  const stable = total(all.slice(stableSegment(all)));
  const found: FlakyCase = {
    suite: one.suite,
    variant: one.variant,
    name: one.name,
    inputSha: one.inputSha,
    rate: disagreements / results,
    interval: wilsonInterval(disagreements, results),
    states: repeated.length,
    mixedStates: mixed.length,
    results,
    passRate: stable.passes / stable.results,
    lastMixedAt: last.at,
  };
  return found;
}
