/**
 * Finds the commit that broke a case.
 *
 * - `blameCase(runs, case, ancestry)` finds one change point over a line of commits, oldest first (the order of the runs does
 *   not matter). A commit is named only if P(no change) ≤ .05; if commits between the last good and the first bad one were
 *   not evaluated, the answer is a range. Runs of other commits are left out. Without enough proof, `probably` names the
 *   likeliest commit with its probability.
 * - `blameTogether(reports, ancestry)` several cases as one.
 */
import type { EvalRun } from "../results/result.ts";
import { type ChangePoint, changePoint, total } from "../statistics/index.ts";
import { type ComparedResult, type ComparedRun, inputIdentity } from "./side.ts";

export interface AncestryCommit {
  readonly sha: string;
  readonly author: string | null;
  readonly at: string | null;
  readonly subject: string | null;
}

export interface BlamedCase {
  readonly suite: string;
  readonly name: string;
  /** Earlier names of the same case. */
  readonly formerly?: readonly string[];
  /** Default: any input. */
  readonly inputSha?: string | null;
  readonly tier?: string;
}

export interface BlameStretch {
  readonly passes: number;
  readonly results: number;
}

export interface BlameReport {
  readonly outcome: "broke" | "fixed" | "no change" | "no results";
  readonly probabilityOfNoChange: number;
  /** The commit, or a range if some were not evaluated, oldest first; empty if none is named. */
  readonly suspects: readonly AncestryCommit[];
  /** Probability of this place, given that there was a change. */
  readonly confidence: number;
  /** If no commit is named: the likeliest one, if it is more likely than all others and no change together. */
  readonly probably: { readonly suspects: readonly AncestryCommit[]; readonly probability: number } | null;
  readonly before: BlameStretch;
  readonly after: BlameStretch;
  readonly lastGood: EvaluatedCommit | null;
  readonly firstBad: EvaluatedCommit | null;
  readonly points: readonly EvaluatedCommit[];
  /** Number of runs on commits outside the line. */
  readonly runsOutside: number;
}

export interface EvaluatedCommit extends BlameStretch {
  readonly commit: AncestryCommit;
  readonly runIds: readonly string[];
  readonly promptShas: readonly string[];
  /** Mean known cost per result, in dollars. */
  readonly costUsd: number | null;
}

const mostDoubt = 0.05;

export function blameCase(
  runs: readonly ComparedRun[],
  which: BlamedCase,
  ancestry: readonly AncestryCommit[],
): BlameReport {
  const { points, runsOutside } = pointsOf(runs, which, ancestry);
  return blamePoints(points, runsOutside, ancestry);
}

/** Cases that broke together, as one: each alone may prove too little, and together they prove enough. */
export function blameTogether(reports: readonly BlameReport[], ancestry: readonly AncestryCommit[]): BlameReport {
  const pooled = new Map<string, EvaluatedCommit>();
  for (const point of reports.flatMap(({ points }) => points)) {
    const known = pooled.get(point.commit.sha);
    const sum = { passes: point.passes + (known?.passes ?? 0), results: point.results + (known?.results ?? 0) };
    const runIds = [...new Set([...(known?.runIds ?? []), ...point.runIds])];
    pooled.set(point.commit.sha, { ...point, ...sum, runIds });
  }
  return blamePoints(
    ancestry.flatMap(({ sha }) => pooled.get(sha) ?? []),
    0,
    ancestry,
  );
}

function blamePoints(
  points: readonly EvaluatedCommit[],
  runsOutside: number,
  ancestry: readonly AncestryCommit[],
): BlameReport {
  const place = findBreak(points, 0, points.length);
  const change = place ?? { at: 0, from: 0, to: points.length, found: changePoint(points) };
  const { at, from, to, found } = change;
  const isNamed = place !== null;
  const before = total(points.slice(from, isNamed ? at : to));
  const after = isNamed ? total(points.slice(at, to)) : { passes: 0, results: 0 };
  const lastGood = isNamed ? (points[at - 1] ?? null) : null;
  const firstBad = isNamed ? (points[at] ?? null) : null;
  const likely = found.before[at - from] ?? 0;
  const guess = isNamed ? null : guessOf(points, found, ancestry);
  return {
    outcome: points.length === 0 ? "no results" : !isNamed ? "no change" : isWorse(before, after) ? "broke" : "fixed",
    probabilityOfNoChange: found.noChange,
    suspects: lastGood && firstBad ? between(ancestry, lastGood.commit, firstBad.commit) : [],
    confidence: isNamed ? likely / (1 - found.noChange) : 0,
    probably: guess,
    before,
    after,
    lastGood,
    firstBad,
    points,
    runsOutside,
  };
}

/** Only a worsening: that something may have been fixed helps nobody who asks what broke. */
function guessOf(
  points: readonly EvaluatedCommit[],
  { likeliest, before }: ChangePoint,
  ancestry: readonly AncestryCommit[],
) {
  if (likeliest === null) return null;
  const probability = before[likeliest] ?? 0;
  const [good, bad] = [points[likeliest - 1], points[likeliest]];
  const isDrop = isWorse(total(points.slice(0, likeliest)), total(points.slice(likeliest)));
  if (!good || !bad || !isDrop || probability < 0.5) return null;
  return { suspects: between(ancestry, good.commit, bad.commit), probability };
}

interface Break {
  readonly at: number;
  readonly from: number;
  readonly to: number;
  readonly found: ChangePoint;
}

/** Finds the newest break. If a fix came after it, the part before the fix is searched too. */
function findBreak(points: readonly EvaluatedCommit[], from: number, to: number): Break | null {
  const found = changePoint(points.slice(from, to));
  if (found.likeliest === null || found.noChange > mostDoubt) return null;
  const at = from + found.likeliest;
  const own = { at, from, to, found };
  const isWorsening = (one: Break | null) =>
    one !== null && isWorse(total(points.slice(one.from, one.at)), total(points.slice(one.at, one.to)));
  const later = findBreak(points, at, to);
  if (isWorsening(later)) return later;
  if (isWorsening(own)) return own;
  const earlier = findBreak(points, from, at);
  return isWorsening(earlier) ? earlier : own;
}

function isWorse(before: BlameStretch, after: BlameStretch): boolean {
  return after.passes * before.results < before.passes * after.results;
}

function between(ancestry: readonly AncestryCommit[], good: AncestryCommit, bad: AncestryCommit): AncestryCommit[] {
  return ancestry.slice(ancestry.indexOf(good) + 1, ancestry.indexOf(bad) + 1);
}

function pointsOf(runs: readonly ComparedRun[], which: BlamedCase, ancestry: readonly AncestryCommit[]) {
  const bySha = new Map<string, { run: EvalRun; result: ComparedResult }[]>();
  const known = new Set(ancestry.map(({ sha }) => sha));
  let runsOutside = 0;
  for (const { run, results } of runs) {
    if (run.suite !== which.suite || (which.tier !== undefined && run.tier !== which.tier)) continue;
    const own: ComparedResult[] = [];
    for (const result of results) if (isCase(result, which)) own.push(result);
    if (own.length === 0) continue;
    const sha = run.gitSha === null ? null : fullSha(run.gitSha, known, ancestry);
    if (sha === null) runsOutside++;
    else bySha.set(sha, [...(bySha.get(sha) ?? []), ...own.map((result) => ({ run, result }))]);
  }
  const points = ancestry.flatMap((commit) => {
    const results = bySha.get(commit.sha) ?? [];
    return results.length === 0 ? [] : [evaluated(commit, results)];
  });
  return { points, runsOutside };
}

/** Files often have short hashes; one that matches exactly one commit of the line is that commit. */
function fullSha(sha: string, known: ReadonlySet<string>, ancestry: readonly AncestryCommit[]): string | null {
  if (known.has(sha)) return sha;
  if (sha.length < 6) return null;
  const fitting = ancestry.filter((commit) => commit.sha.startsWith(sha));
  return fitting.length === 1 ? fitting[0]!.sha : null;
}

function isCase(result: ComparedResult, { name, formerly = [], inputSha }: BlamedCase): boolean {
  const counts = result.status === "pass" || result.status === "fail";
  return (
    counts &&
    (result.name === name || formerly.includes(result.name)) &&
    (inputSha === undefined || inputIdentity(result) === inputSha)
  );
}

function evaluated(
  commit: AncestryCommit,
  results: readonly { run: EvalRun; result: ComparedResult }[],
): EvaluatedCommit {
  const costs = results.flatMap(({ result }) => {
    const known = (result.usage ?? []).filter(({ costUsd }) => costUsd !== null);
    return known.length === 0 ? [] : [known.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0)];
  });
  return {
    commit,
    passes: results.filter(({ result }) => result.status === "pass").length,
    results: results.length,
    runIds: [...new Set(results.map(({ run }) => run.runId))],
    promptShas: [...new Set(results.flatMap(({ run }) => (run.promptSha === null ? [] : [run.promptSha])))],
    costUsd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0) / costs.length,
  };
}
