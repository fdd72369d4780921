/**
 * The page of one run.
 *
 * - `runView(store, runs, ref)` summary, matrix by category and criterion, clusters of failures, slow and expensive cases.
 */
import type { EvalRunDetail } from "@devflow/protocol";
import { commitGraph, predecessorOf } from "../compare/index.ts";
import type { EvalTotals } from "../results/result.ts";
import type { EvalStore, ResultRow, RunLine } from "../store/index.ts";
import { commitOf, lineView, rateOf, refOf, stateOf } from "./run-line.ts";
import type { ReadStoredRun, StoredRuns } from "./stored-runs.ts";

const [mostCategories, mostCriteria, mostNotable, mostHistograms] = [60, 16, 6, 8];

export async function runView(store: EvalStore, runs: StoredRuns, ref: string): Promise<EvalRunDetail> {
  const [found] = await runs.read([ref]);
  const { line, record } = found as ReadStoredRun;
  const { summary, run } = record;
  const own = refOf(line);
  const slow = await store.results(own, { sort: "duration", descending: true, pageSize: mostNotable });
  const dear = await store.results(own, { sort: "cost", descending: true, pageSize: mostNotable });
  return {
    run: lineView(line),
    pushedAt: record.pushedAt,
    judges: run.judges.map(({ model, rubricSha, threshold }) => ({ model, rubricSha, threshold })),
    durations: summary.durations,
    cachedResults: summary.cachedResults,
    superseded: record.superseded,
    warnings: [...record.warnings].slice(0, 50),
    losses: [...record.losses].slice(0, 50),
    cost: { ...summary.cost, models: [...summary.cost.models] },
    matrix: matrixOf(found as ReadStoredRun),
    clusters: summary.failures.map(({ message, count, cases }) => ({ message, count, cases: [...cases] })),
    slow: slow.rows.filter(({ durationMs }) => durationMs !== null),
    dear: dear.rows.filter(({ usd }) => usd !== null && usd > 0),
    commit: commitOf(commitGraph(store.commits()), line.gitSha),
    variants: line.matrix === null ? 1 : cellCount(store, line),
    histograms: histogramsOf(found as ReadStoredRun),
    previous: previousOf(store, line),
  };
}

function matrixOf({ rows, record }: ReadStoredRun): EvalRunDetail["matrix"] {
  const all = Object.entries(record.summary.criteria).toSorted(([, a], [, b]) => b.count - a.count);
  const criteria = all.slice(0, mostCriteria).map(([criterion, numbers]) => ({ criterion, ...numbers }));
  const groups = Map.groupBy([...rows], ({ category }) => category);
  const categories = [...groups]
    .map(([category, own]) => ({
      category,
      ...totalsOf(own),
      cells: criteria.map((one) => cellOf(own, one.criterion)),
    }))
    .toSorted((a, b) => b.total - a.total || ((a.category ?? "") < (b.category ?? "") ? -1 : 1));
  return {
    criteria,
    categories: categories
      .slice(0, mostCategories)
      .map((one) => ({ ...one, ...rateOf(one.passed, one.passed + one.failed) })),
    moreCategories: Math.max(0, categories.length - mostCategories),
    moreCriteria: Math.max(0, all.length - mostCriteria),
  };
}

function cellCount(store: EvalStore, { suite, tier, matrix }: RunLine): number {
  return store.list({ suite, tier, limit: 1000 }).runs.filter((one) => one.matrix === matrix).length;
}

const bins = 10;

/** Scores between 0 and 1 use that range; others the range that occurs. */
function histogramsOf({ rows, record }: ReadStoredRun): EvalRunDetail["histograms"] {
  const all = Object.entries(record.summary.criteria).toSorted(([, a], [, b]) => b.count - a.count);
  const made = all.slice(0, mostHistograms).map(([criterion, { min, max }]) => ({
    criterion,
    from: Math.min(0, min),
    to: Math.max(1, max),
    counts: new Array<number>(bins).fill(0),
  }));
  for (const { scores } of rows) {
    for (const { criterion, from, to, counts } of made) {
      const score = Object.hasOwn(scores, criterion) ? scores[criterion] : undefined;
      if (score === undefined) continue;
      counts[Math.min(bins - 1, Math.floor(((score - from) / (to - from)) * bins))]! += 1;
    }
  }
  return made;
}

function totalsOf(rows: readonly ResultRow[]): EvalTotals {
  const count = (status: ResultRow["status"]) => rows.filter((row) => row.status === status).length;
  return {
    total: rows.length,
    passed: count("pass"),
    failed: count("fail"),
    errors: count("error"),
    skipped: count("skipped"),
  };
}

function cellOf(rows: readonly ResultRow[], criterion: string) {
  const scores = rows.flatMap(({ scores: own }) => own[criterion] ?? []);
  return scores.length === 0
    ? null
    : { mean: scores.reduce((sum, score) => sum + score, 0) / scores.length, count: scores.length };
}

/** A predecessor on the same commit is compared run by run, because by commit the two would be one side. */
function previousOf(store: EvalStore, line: RunLine): EvalRunDetail["previous"] {
  const before = predecessorOf(
    line,
    store.list({ suite: line.suite, tier: line.tier, limit: 1000 }).runs,
    commitGraph(store.commits()),
  );
  if (!before) return null;
  const nameOf = stateOf(before) === stateOf(line) ? refOf : stateOf;
  return { run: refOf(before), a: nameOf(before), b: nameOf(line) };
}
