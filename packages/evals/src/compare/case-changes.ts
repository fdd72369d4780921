/**
 * The cases that broke and those that were fixed, even if the net change is zero.
 *
 * - `findCaseChanges(suite, pairs, options)` a case broke if it mostly passed and now does not, or if Fisher's test of its
 *   stable history against the new results is significant; Holm's method over all compared cases decides which are proven. A
 *   case whose history shows that it is flaky has not broken by failing once more.
 */
import { type CountPoint, fisherExact, holm, stableSegment, total } from "../statistics/index.ts";
import { type CompareOptions, defaultAlpha, defaultExcerpt } from "./compare-options.ts";
import type { CaseChange, CaseFailure } from "./compare-report.ts";
import type { CasePair } from "./pair-cases.ts";
import type { PairCounts } from "./pair-counts.ts";
import { rateChange } from "./pass-finding.ts";
import type { SideCase } from "./side.ts";

export interface CountedPair {
  readonly pair: CasePair;
  readonly counts: PairCounts;
}

export function findCaseChanges(
  suite: string,
  compared: readonly CountedPair[],
  options: CompareOptions,
): { readonly broken: CaseChange[]; readonly fixed: CaseChange[]; readonly wavering: CaseChange[] } {
  const alpha = options.alpha ?? defaultAlpha;
  const tests = compared.map(({ pair, counts }) => testOf(suite, pair, counts, options));
  const worse = holm(tests.map((test) => test.worse));
  const better = holm(tests.map((test) => test.better));
  const broken: CaseChange[] = [];
  const fixed: CaseChange[] = [];
  const wavering: CaseChange[] = [];
  compared.forEach(({ pair, counts }, i) => {
    const change = rateChange(counts);
    if (change === 0) return;
    const [p, pAdjusted] = change < 0 ? [tests[i]!.worse, worse[i]!] : [tests[i]!.better, better[i]!];
    if (!hasTurned(counts) && p > alpha) return;
    const list = p > alpha && tests[i]!.wavers ? wavering : change < 0 ? broken : fixed;
    list.push(describe(pair, counts, p, pAdjusted, pAdjusted <= alpha, options));
  });
  const byProof = (one: CaseChange, other: CaseChange) => one.p - other.p || (one.name < other.name ? -1 : 1);
  return { broken: broken.sort(byProof), fixed: fixed.sort(byProof), wavering: wavering.sort(byProof) };
}

function testOf(suite: string, pair: CasePair, counts: PairCounts, { history }: CompareOptions) {
  if (rateChange(counts) === 0) return { worse: 1, better: 1, wavers: false };
  const before = { passes: counts.passesA, results: counts.resultsA };
  const points = [...(history?.(suite, pair.a.name, pair.a.inputSha) ?? []), before];
  const stable = total(points.slice(stableSegment(points)));
  const test = fisherExact({ ...counts, passesA: stable.passes, resultsA: stable.results });
  return { ...test, wavers: isWavering(stable) };
}

/** With fewer results, nothing is known about how steady a case is. */
const enoughToTell = 6;

function isWavering({ passes, results }: CountPoint): boolean {
  return results >= enoughToTell && passes > results * 0.1 && passes < results * 0.9;
}

/** From mostly passing to mostly failing, or back. */
function hasTurned({ passesA, resultsA, passesB, resultsB }: PairCounts): boolean {
  return passesA * 2 > resultsA !== passesB * 2 > resultsB;
}

function describe(
  pair: CasePair,
  counts: PairCounts,
  p: number,
  pAdjusted: number,
  isProven: boolean,
  options: CompareOptions,
): CaseChange {
  const { passesA, resultsA, passesB, resultsB } = counts;
  const longest = options.excerpt ?? defaultExcerpt;
  const isQuiet = options.verdictOnly === true;
  return {
    name: pair.a.name,
    renamedTo: pair.by === "renamed" ? pair.b.name : null,
    category: pair.b.results[0]?.result.category ?? null,
    passesA,
    resultsA,
    passesB,
    resultsB,
    p,
    pAdjusted,
    isProven,
    failure: isQuiet ? null : (failureOf(pair.b, longest) ?? failureOf(pair.a, longest)),
    outputA: isQuiet ? null : outputOf(pair.a, "pass", longest),
    outputB: isQuiet ? null : outputOf(pair.b, "fail", longest),
  };
}

function failureOf({ results }: SideCase, longest: number): CaseFailure | null {
  const failed = results.find(({ result }) => result.status === "fail")?.result;
  const failure = failed?.failures[0];
  if (!failed || (!failure && failed.error === null)) return null;
  return {
    expectationType: failure?.expectationType ?? null,
    criterion: failure?.criterion ?? null,
    message: excerpt(failure?.message ?? failed.error ?? "failed", longest),
    expected: excerptOf(failure?.expected, longest),
    actual: excerptOf(failure?.actual, longest),
  };
}

/** The output of a result with the given status, or else of the first result. */
function outputOf({ results }: SideCase, status: string, longest: number): string | null {
  const { result } = results.find((one) => one.result.status === status) ?? results[0] ?? {};
  if (!result) return null;
  const { output, responsePreview } = result;
  const response =
    typeof output === "object" && output !== null && "response" in output && typeof output.response === "string"
      ? output.response
      : (output ?? responsePreview);
  return excerptOf(response, longest);
}

function excerptOf(value: unknown, longest: number): string | null {
  if (value === null || value === undefined) return null;
  return excerpt(typeof value === "string" ? value : (JSON.stringify(value) ?? String(value)), longest);
}

function excerpt(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest).toWellFormed()}…`;
}
