/**
 * The page that compares two states.
 *
 * - `compareView(parts, query)` the report, cut to what one page shows.
 */
import { DevflowError } from "@devflow/core/errors";
import type { EvalCaseChange, EvalComparison, EvalSuiteComparison } from "@devflow/protocol";
import {
  type CaseChange,
  type CommitGraph,
  type CompareReport,
  commitGraph,
  compareRuns,
  newestOf,
  predecessorOf,
  type Quarantine,
  type SuiteReport,
  selectSides,
  suiteTierKey,
  variantKey,
} from "../compare/index.ts";
import { caseKey } from "../results/identity.ts";
import type { Interval } from "../statistics/index.ts";
import type { EvalStore, RunFilter, RunLine } from "../store/index.ts";
import { commitOf, refOf, stateOf } from "./run-line.ts";
import type { ReadStoredRun, StoredRuns } from "./stored-runs.ts";

export interface CompareParts {
  readonly store: EvalStore;
  readonly runs: StoredRuns;
  readonly quarantines: () => Promise<readonly Quarantine[]>;
  /** Caches the last comparisons: runs do not change, and ten thousand cases take a second. */
  readonly kept: Map<string, CompareReport>;
}

export interface CompareQuery {
  readonly a: readonly string[];
  readonly b: readonly string[];
  readonly suite?: string | undefined;
  readonly tier?: string | undefined;
  readonly mixJudges: boolean;
}

const [mostChanges, mostLines, mostRuns, mostKept] = [60, 100, 100, 20];
/** Reading the history of every case would be too slow for a page beyond this many. */
const mostHistories = 2000;
const excerptLength = 1200;

export async function compareView(parts: CompareParts, query: CompareQuery): Promise<EvalComparison> {
  const { store, runs } = parts;
  const filter = { ...(query.suite ? { suite: query.suite } : {}), ...(query.tier ? { tier: query.tier } : {}) };
  const sides = await sidesOf(store, query, filter);
  const [a, b] = [await runs.read(sides.a.map(refOf)), await runs.read(sides.b.map(refOf))];
  const cases = Math.max(0, ...[...a, ...b].map(({ rows }) => rows.length));
  const quarantines = await parts.quarantines();
  const named = (side: readonly ReadStoredRun[]) => side.map(({ line, record }) => [refOf(line), record.pushedAt]);
  // Runs before A are part of the cache key too: they show how steady the cases are.
  const key = JSON.stringify([named(a), named(b), query.mixJudges, quarantines, store.list({ limit: 1 }).matching]);
  const report =
    parts.kept.get(key) ??
    compareRuns(a, b, {
      mixJudges: query.mixJudges,
      quarantines,
      excerpt: excerptLength,
      ...(cases <= mostHistories ? { history: historyBefore(store, sides) } : {}),
    });
  parts.kept.set(key, report);
  const [oldest] = parts.kept.keys();
  if (parts.kept.size > mostKept && oldest !== undefined) parts.kept.delete(oldest);
  const suites: EvalSuiteComparison[] = [];
  for (const suite of report.suites) suites.push(suiteView(suite));
  const graph = commitGraph(store.commits());
  const commitsOf = (lines: readonly RunLine[]) =>
    [...new Set(lines.map(({ gitSha }) => gitSha))].flatMap((sha) => commitOf(graph, sha) ?? []);
  const states = (lines: readonly RunLine[]) => [...new Set(lines.map(stateOf))];
  return {
    verdict: report.verdict,
    headline: report.headline,
    isCompared: report.isCompared,
    alpha: report.alpha,
    familySize: report.familySize,
    a: { ...mutable(report.a), states: states(sides.a), commits: commitsOf(sides.a) },
    b: { ...mutable(report.b), states: states(sides.b), commits: commitsOf(sides.b) },
    suites,
    warnings: report.warnings.map((warning) => ({ ...warning })),
  };
}

interface Sides {
  readonly a: readonly RunLine[];
  readonly b: readonly RunLine[];
}

/**
 * As `devflow eval compare` chooses them, with the commits that the runs recorded in place of a repository. Without `b`, the newest
 * commit that has runs is meant.
 */
async function sidesOf(store: EvalStore, { a, b }: CompareQuery, filter: RunFilter): Promise<Sides> {
  const { runs: recent } = store.list({ ...filter, limit: 1000 });
  const newest = recent.find(({ gitSha }) => gitSha !== null) ?? recent[0];
  const sideB = b.length > 0 ? await linesOf(store, b, filter) : newest ? ofState(recent, stateOf(newest)) : [];
  if (a.length > 0) return { a: await linesOf(store, a, filter), b: sideB };
  return { a: baselineOf(sideB, recent, commitGraph(store.commits())), b: sideB };
}

function baselineOf(side: readonly RunLine[], recent: readonly RunLine[], graph: CommitGraph): RunLine[] {
  const [sha, another] = new Set(side.map(({ gitSha }) => gitSha));
  const older = sha && another === undefined ? graph.ancestors(sha).filter((one) => one !== sha) : [];
  const places = new Set(side.map(suiteTierKey));
  const selected = sha && older.length > 0 ? selectSides(recent, { newer: sha, older }) : [];
  const found = selected.filter((one) => places.has(suiteTierKey(one))).flatMap((one) => one.a);
  return found.length > 0 ? found.slice(0, mostRuns) : predecessorsOf(side, recent, graph);
}

/** Where no commit is known: for each suite, tier and variant, the runs of the state that its newest run is compared with. */
function predecessorsOf(side: readonly RunLine[], recent: readonly RunLine[], graph: CommitGraph): RunLine[] {
  const own = new Set(side.map(stateOf));
  const cellOf = (line: RunLine) => `${suiteTierKey(line)} ${variantKey(line)}`;
  return [...Map.groupBy(side, cellOf).values()].flatMap((runs) => {
    const newest = newestOf(runs);
    const before = newest && predecessorOf(newest, recent, graph);
    if (!before || own.has(stateOf(before))) return [];
    return ofState(
      recent.filter((line) => cellOf(line) === cellOf(before)),
      stateOf(before),
    );
  });
}

const ofState = (lines: readonly RunLine[], state: string) =>
  lines.filter((line) => stateOf(line) === state).slice(0, mostRuns);

async function linesOf(store: EvalStore, states: readonly string[], filter: RunFilter): Promise<RunLine[]> {
  const found = new Map<string, RunLine>();
  for (const state of states) {
    const sha = /^commit:(.+)$/s.exec(state)?.[1];
    const lines =
      sha === undefined
        ? [(await store.run(state)).line]
        : store.list({ ...filter, gitSha: sha, limit: mostRuns }).runs;
    if (lines.length === 0) throw missingRun(store, sha ?? state, filter);
    for (const line of lines) found.set(refOf(line), line);
  }
  return [...found.values()];
}

/** A side is what was asked for: no other commit's runs take its place. */
function missingRun(store: EvalStore, sha: string, filter: RunFilter): DevflowError {
  const which = filter.suite === undefined ? "" : ` of ${filter.suite}`;
  const nearest = commitGraph(store.commits())
    .ancestors(sha)
    .find((one) => store.list({ ...filter, gitSha: one, limit: 1 }).matching > 0);
  const next = nearest ? `Nearest commit with runs: ${nearest.slice(0, 12)}` : "devflow eval list";
  return new DevflowError("not_found", { details: { what: `A run${which} at commit ${sha.slice(0, 12)}`, next } });
}

/** What each case did before side A, state by state. */
function historyBefore(store: EvalStore, { a, b }: Sides) {
  const compared = new Set([...a, ...b].map(refOf));
  const from = a.map(({ at }) => at).sort()[0] ?? "";
  const tiers = new Set(a.map(({ tier }) => tier));
  return (suite: string, name: string, inputSha: string | null) => {
    const points = store
      .history({ suite, case: caseKey(name, inputSha), limit: 200 })
      .filter(
        (point) => point.at < from && tiers.has(point.tier) && !compared.has(refOf({ suite, runId: point.runId })),
      )
      .filter(({ status }) => status === "pass" || status === "fail")
      .toReversed();
    return [...Map.groupBy(points, (point) => `${stateOf(point)} ${point.promptSha}`).values()].map((own) => ({
      passes: own.filter(({ status }) => status === "pass").length,
      results: own.length,
    }));
  };
}

function suiteView(report: SuiteReport): EvalSuiteComparison {
  const { change: _change, power, pass, errors, ...rest } = report;
  return mutable({
    ...rest,
    pass: pass && { ...pass },
    errors: { ...errors },
    broken: report.broken.slice(0, mostChanges).map(changeView),
    fixed: report.fixed.slice(0, mostChanges).map(changeView),
    brokenCount: report.broken.length,
    fixedCount: report.fixed.length,
    added: report.added.slice(0, mostLines),
    removed: report.removed.slice(0, mostLines),
    renamed: report.renamed.slice(0, mostLines),
    suggestions: report.suggestions.slice(0, mostLines),
    criteria: report.criteria.map((one) => ({ ...one, interval: bounded(one.interval) })),
    budgets: report.budgets.map((one) => ({
      ...one,
      ratio: Number.isFinite(one.ratio) ? one.ratio : null,
      interval: bounded(one.interval),
    })),
    power: power && { text: power.text, moreRuns: power.moreRuns },
  });
}

/** JSON has no infinity, so an open interval is null. */
function bounded(interval: Interval | null): Interval | null {
  return interval && Number.isFinite(interval.low) && Number.isFinite(interval.high) ? interval : null;
}

function changeView(change: CaseChange): EvalCaseChange {
  return { ...mutable(change), caseKey: caseKey(change.renamedTo ?? change.name, change.inputSha) };
}

/** Only drops `readonly` from the report's lists. */
function mutable<T>(value: T): Mutable<T> {
  return value as Mutable<T>;
}

type Mutable<T> = T extends object ? { -readonly [Key in keyof T]: Mutable<T[Key]> } : T;
