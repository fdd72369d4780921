/**
 * The cases that broke and those that were fixed, even if the net change is zero.
 *
 * - `findCaseChanges(suite, pairs, options)` a case broke if it mostly passed and now does not, or if Fisher's test of its
 *   stable history against the new results is significant; Holm's method over all compared cases decides which are proven. A
 *   case whose history shows that it is flaky has not broken by failing once more.
 */

import type { EvalResult } from "../results/result.ts";
import { type CountPoint, fisherExact, holm, stableSegment, total } from "../statistics/index.ts";
import type { CasePair } from "./case-pairs.ts";
import { type CompareOptions, defaultAlpha, defaultExcerpt } from "./compare-options.ts";
import type { CaseChange, CaseFailure, ResultPlace } from "./compare-report.ts";
import type { ChosenPairs } from "./measure-suite.ts";
import type { PairCounts } from "./pair-counts.ts";
import { rateChange } from "./pass-finding.ts";
import { type SideCase, status } from "./side.ts";
import { runName } from "./stored-runs.ts";

export function findCaseChanges(
  suite: string,
  { pairs, chosen, counts }: ChosenPairs,
  options: CompareOptions,
): { readonly broken: CaseChange[]; readonly fixed: CaseChange[]; readonly wavering: CaseChange[] } {
  const alpha = options.alpha ?? defaultAlpha;
  const tester = caseTester(suite, options);
  const changed = counts.flatMap((own, at) => (rateChange(own) === 0 ? [] : [at]));
  const tests = changed.map((at) => tester(counts[at]!, pairs.at(chosen[at]!).a));
  const worse = holm(
    tests.map((test) => test.worse),
    counts.length,
  );
  const better = holm(
    tests.map((test) => test.better),
    counts.length,
  );
  const broken: Change[] = [];
  const fixed: Change[] = [];
  const wavering: Change[] = [];
  changed.forEach((at, i) => {
    const own = counts[at]!;
    const isWorse = rateChange(own) < 0;
    const [p, pAdjusted] = isWorse ? [tests[i]!.worse, worse[i]!] : [tests[i]!.better, better[i]!];
    if (!hasTurned(own) && p > alpha) return;
    const list = p > alpha && tests[i]!.wavers ? wavering : isWorse ? broken : fixed;
    const pair = pairs.at(chosen[at]!);
    list.push({ ...own, pair, name: pair.a.name, p, pAdjusted, isProven: pAdjusted <= alpha });
  });
  return {
    broken: described(broken, options),
    fixed: described(fixed, options),
    wavering: described(wavering, options),
  };
}

interface Change extends PairCounts {
  readonly pair: CasePair;
  readonly name: string;
  readonly p: number;
  readonly pAdjusted: number;
  readonly isProven: boolean;
}

/** Texts are read for the first so many changes of a list; nobody reads more of them. */
const mostTexts = 60;

function described(changes: readonly Change[], options: CompareOptions): CaseChange[] {
  const sorted = changes.toSorted((one, other) => one.p - other.p || (one.name < other.name ? -1 : 1));
  const shown = options.verdictOnly ? [] : sorted.slice(0, mostTexts);
  const texts = textsOf(shown.flatMap(({ pair }) => [pair.a, pair.b]));
  return sorted.map((change) => describe(change, texts, options));
}

/** The results whose texts a change shows, read together: a passing one and a failing one of each case. */
function textsOf(cases: readonly SideCase[]): (one: SideCase, row: number | undefined) => EvalResult | null {
  const read = new Map(
    [...Map.groupBy(cases, ({ side }) => side)].map(([side, own]) => [
      side,
      side.read(
        [...new Set(own.flatMap((one) => [rowWith(one, "pass"), rowWith(one, "fail")]))].flatMap((row) => row ?? []),
      ),
    ]),
  );
  return ({ side }, row) => (row === undefined ? null : (read.get(side)?.get(row) ?? null));
}

/** A row with the given status, or else the first. */
function rowWith(one: SideCase, wanted: "pass" | "fail"): number | undefined {
  const { side, no } = one;
  for (let at = side.from(no); at < side.to(no); at++) {
    if (side.status[side.rowAt(at)] === status[wanted]) return side.rowAt(at);
  }
  return side.to(no) > side.from(no) ? side.rowAt(side.from(no)) : undefined;
}

/** Cases with equal counts and no history have equal tests; most changed cases of a large suite are such. */
function caseTester(suite: string, { history }: CompareOptions) {
  const known = new Map<PairCounts, CaseTest>();
  return (counts: PairCounts, { name, inputSha }: SideCase): CaseTest => {
    const earlier = history?.(suite, name, inputSha) ?? [];
    const found = earlier.length === 0 ? known.get(counts) : undefined;
    if (found) return found;
    const points = [...earlier, { passes: counts.passesA, results: counts.resultsA }];
    const stable = total(points.slice(stableSegment(points)));
    const test = fisherExact({ ...counts, passesA: stable.passes, resultsA: stable.results });
    const made = { ...test, wavers: isWavering(stable) };
    if (earlier.length === 0) known.set(counts, made);
    return made;
  };
}

interface CaseTest {
  readonly worse: number;
  readonly better: number;
  readonly wavers: boolean;
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

function describe(change: Change, textOf: ReturnType<typeof textsOf>, options: CompareOptions): CaseChange {
  const { pair, name, passesA, resultsA, passesB, resultsB, p, pAdjusted, isProven } = change;
  const longest = options.excerpt ?? defaultExcerpt;
  const [rowA, rowB] = [rowWith(pair.a, "pass"), rowWith(pair.b, "fail")];
  return {
    name,
    renamedTo: pair.by === "renamed" ? pair.b.name : null,
    inputSha: pair.b.inputSha,
    category: pair.b.side.category(pair.b.no),
    passesA,
    resultsA,
    passesB,
    resultsB,
    p,
    pAdjusted,
    isProven,
    exampleA: placeOf(pair.a, rowA),
    exampleB: placeOf(pair.b, rowB),
    failure: failureOf(textOf(pair.b, rowB), longest) ?? failureOf(textOf(pair.a, rowWith(pair.a, "fail")), longest),
    outputA: outputOf(textOf(pair.a, rowA), longest),
    outputB: outputOf(textOf(pair.b, rowB), longest),
  };
}

function placeOf({ side }: SideCase, row: number | undefined): ResultPlace | null {
  if (row === undefined) return null;
  const { suite, runId } = side.runs[side.run[row]!]!.run;
  return { run: runName({ suite, runId }), ordinal: side.ordinal[row]! };
}

function failureOf(failed: EvalResult | null, longest: number): CaseFailure | null {
  const failure = failed?.failures[0];
  if (failed?.status !== "fail" || (!failure && failed.error === null)) return null;
  return {
    expectationType: failure?.expectationType ?? null,
    criterion: failure?.criterion ?? null,
    message: excerpt(failure?.message ?? failed.error ?? "failed", longest),
    expected: excerptOf(failure?.expected, longest),
    actual: excerptOf(failure?.actual, longest),
  };
}

function outputOf(result: EvalResult | null, longest: number): string | null {
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
