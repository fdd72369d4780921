/**
 * The summary of a run, computed once when it is pushed, so that lists and pages need not read its results.
 *
 * - `new SummaryTally()`, `add(result)`, `finish()` → `RunSummary`.
 * - `totalsDiffer(claimed, counted)` the warning if a tool's totals do not match its results.
 */
import type { RunCost } from "../costs/run-costs.ts";
import type { EvalResult, EvalTotals } from "../results/result.ts";

export interface RunSummary {
  readonly totals: EvalTotals;
  readonly categories: Readonly<Record<string, EvalTotals>>;
  readonly criteria: Readonly<Record<string, CriterionSummary>>;
  readonly durations: { readonly p50Ms: number; readonly p95Ms: number; readonly sumMs: number } | null;
  readonly cachedResults: number;
  /** The largest groups of equal failures, ignoring numbers and quoted parts. */
  readonly failures: readonly FailureCluster[];
  readonly cost: RunCost;
}

export interface CriterionSummary {
  readonly count: number;
  readonly mean: number;
  readonly min: number;
  readonly max: number;
}

export interface FailureCluster {
  readonly message: string;
  readonly count: number;
  /** The first few cases. */
  readonly cases: readonly string[];
}

const countedAs = { pass: "passed", fail: "failed", error: "errors", skipped: "skipped" } as const;
const maxGroups = 2000;

export class SummaryTally {
  readonly #totals = emptyTotals();
  readonly #categories = new Map<string, Mutable<EvalTotals>>();
  readonly #criteria = new Map<string, { count: number; sum: number; min: number; max: number }>();
  readonly #durations: number[] = [];
  readonly #clusters = new Map<string, { message: string; count: number; cases: string[] }>();
  #cached = 0;

  add(result: EvalResult): void {
    count(this.#totals, result);
    if (result.category !== null) count(grouped(this.#categories, result.category, emptyTotals), result);
    for (const [criterion, score] of Object.entries(result.scores)) this.#addScore(criterion, score);
    if (result.durationMs !== null && !result.cached) this.#durations.push(result.durationMs);
    if (result.cached) this.#cached += 1;
    if (result.status === "fail" || result.status === "error") this.#cluster(result);
  }

  get totals(): EvalTotals {
    return this.#totals;
  }

  finish(cost: RunCost): RunSummary {
    const sorted = Float64Array.from(this.#durations).sort();
    const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
    const clusters = [...this.#clusters.values()].sort((a, b) => b.count - a.count);
    return {
      totals: this.#totals,
      categories: Object.fromEntries(this.#categories),
      criteria: Object.fromEntries(
        [...this.#criteria].map(([criterion, { count: n, sum, min, max }]) => [
          criterion,
          { count: n, mean: sum / n, min, max },
        ]),
      ),
      durations:
        sorted.length === 0
          ? null
          : { p50Ms: at(0.5), p95Ms: at(0.95), sumMs: sorted.reduce((sum, ms) => sum + ms, 0) },
      cachedResults: this.#cached,
      failures: clusters.slice(0, 20),
      cost,
    };
  }

  #addScore(criterion: string, score: number): void {
    const found = grouped(this.#criteria, criterion, () => ({ count: 0, sum: 0, min: score, max: score }));
    found.count += 1;
    found.sum += score;
    found.min = Math.min(found.min, score);
    found.max = Math.max(found.max, score);
  }

  #cluster(result: EvalResult): void {
    const message = result.error ?? result.failures[0]?.message ?? "";
    if (message === "") return;
    const key = `${result.status} ${clusterKey(message)}`;
    const found = grouped(this.#clusters, key, () => ({
      message: message.slice(0, 300),
      count: 0,
      cases: [] as string[],
    }));
    found.count += 1;
    if (found.cases.length < 5 && !found.cases.includes(result.name)) found.cases.push(result.name.slice(0, 200));
  }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const emptyTotals = (): Mutable<EvalTotals> => ({ total: 0, passed: 0, failed: 0, errors: 0, skipped: 0 });

function count(totals: Mutable<EvalTotals>, { status }: EvalResult): void {
  totals.total += 1;
  totals[countedAs[status]] += 1;
}

/** More groups than this are combined into one. */
function grouped<T>(groups: Map<string, T>, given: string, make: () => T): T {
  const name = groups.has(given) || groups.size < maxGroups ? given : "(others)";
  const found = groups.get(name) ?? make();
  groups.set(name, found);
  return found;
}

function clusterKey(message: string): string {
  return message
    .slice(0, 300)
    .replace(/"[^"]*"|'[^']*'|`[^`]*`/g, '"…"')
    .replace(/\d+(?:\.\d+)?/g, "#");
}

export function totalsDiffer(claimed: EvalTotals, counted: EvalTotals): string | undefined {
  if (claimed.total === 0 && claimed.passed === 0 && claimed.failed === 0) return undefined;
  // Some files have no count of errors: their tools count an error as a failure.
  const failures = claimed.errors === 0 ? counted.failed + counted.errors : counted.failed;
  const isSame =
    claimed.total === counted.total &&
    claimed.passed === counted.passed &&
    (claimed.failed === counted.failed || claimed.failed === failures);
  if (isSame) return undefined;
  return `The totals in the file (${words(claimed)}) do not match its results; stored as ${words(counted)}.`;
}

const words = ({ total, passed, failed, errors }: EvalTotals): string =>
  `${total} ${total === 1 ? "result" : "results"}, ${passed} passed, ${failed} failed${errors > 0 ? `, ${errors} errors` : ""}`;
