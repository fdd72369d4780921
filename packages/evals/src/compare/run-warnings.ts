/**
 * Warnings about things that can make a comparison misleading.
 *
 * - `warningsOf(measured, options)` low overlap, superseded results, unknown judges, a stale baseline, sides that mix states,
 *   and the A/A check: if runs of one unchanged state differ from each other, a shift of the whole run (provider, time of day)
 *   would look like a regression too.
 */
import { stratifiedTest } from "../statistics/index.ts";
import { type CompareOptions, defaultStaleAfterDays } from "./compare-options.ts";
import type { CompareWarning } from "./compare-report.ts";
import type { MeasuredSuite } from "./measure-suite.ts";
import { pairCases } from "./pair-cases.ts";
import { countPairs, isComparable } from "./pair-counts.ts";
import { plural, pPhrase } from "./reason.ts";
import type { ComparedRun } from "./side.ts";
import { stateKey } from "./state-key.ts";

const dayMs = 86_400_000;
/** The check pairs each run with the others of its state; more runs would take too long. */
const checkedRuns = 12;

export function warningsOf(measured: MeasuredSuite, options: CompareOptions): CompareWarning[] {
  const { suite, pairing, a, b, judges } = measured;
  const warnings: CompareWarning[] = [];
  const warn = (kind: CompareWarning["kind"], text: string) => void warnings.push({ kind, suite, text });
  const common = pairing.pairs.length;
  const largest = common + Math.max(pairing.added.length, pairing.removed.length);
  if (common === 0) warn("nothing compared", "Nothing was compared: no case is on both sides.");
  else if (common < largest / 2) {
    warn("low overlap", `Only ${common} of ${largest} cases are on both sides; the verdict covers only those.`);
  }
  if (judges) {
    const kind = judges.isCertain ? "judges differ" : "judge unknown";
    const next = measured.isRefused ? " To judge the stored outputs again: devflow eval rejudge <run>." : "";
    warn(kind, `${judges.text}.${next}`);
  }
  const superseded = pairing.superseded.a + pairing.superseded.b;
  if (superseded > 0) {
    warn(
      "superseded",
      `${plural(superseded, "result")} reported twice for the same case and repeat: the last one counts.`,
    );
  }
  const age = staleness(a, b);
  if (age !== null && age > (options.staleAfterDays ?? defaultStaleAfterDays)) {
    const far = typeof options.distance === "number" ? `, ${plural(options.distance, "commit")} away` : "";
    warn(
      "stale baseline",
      `The newest baseline run is ${Math.floor(age)} days older than the new one${far}: run the baseline again.`,
    );
  }
  for (const [name, side] of [["A", a] as const, ["B", b] as const]) {
    const states = new Set(side.map(({ run }) => stateKey(run)));
    if (states.size > 1) warn("mixed states", `Side ${name} pools ${states.size} states (commit, prompt, judge).`);
    if (!options.verdictOnly) {
      const odd = oddRun(side);
      if (odd) warn("runs of one commit differ", odd);
    }
  }
  return warnings;
}

function staleness(a: readonly ComparedRun[], b: readonly ComparedRun[]): number | null {
  const newest = (side: readonly ComparedRun[]) => Math.max(...side.map(({ run }) => Date.parse(run.at)));
  const age = (newest(b) - newest(a)) / dayMs;
  return Number.isFinite(age) ? age : null;
}

/** Compares each run with the others of its state, with Bonferroni over the runs, and names the most different one. */
function oddRun(side: readonly ComparedRun[]): string | null {
  const states = Map.groupBy(side, ({ run }) => stateKey(run));
  let oddest: { one: ComparedRun; others: number; p: number } | null = null;
  for (const runs of states.values()) {
    if (runs.length < 2) continue;
    const checked = runs.slice(-checkedRuns);
    const tests = checked.length === 2 ? checked.slice(1) : checked;
    for (const one of tests) {
      const others = checked.filter((other) => other !== one);
      const counts = countPairs(pairCases(others, [one]).pairs).filter(isComparable);
      const p = Math.min(1, stratifiedTest(counts).p * tests.length);
      if (p <= 0.05 && p < (oddest?.p ?? 1)) oddest = { one, others: others.length, p };
    }
  }
  if (!oddest) return null;
  const { run } = oddest.one;
  const others = `the other ${plural(oddest.others, "run")} of ${run.gitSha?.slice(0, 10) ?? "its state"}`;
  return `Run ${run.runId} differs from ${others} (${pPhrase(oddest.p)}): something other than the code affects the results.`;
}
