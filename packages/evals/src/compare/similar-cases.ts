/**
 * Finds similar cases among the unpaired ones: suggestions for people, never pairs.
 *
 * - `similarity(one, other)` shared words, 0 to 1.
 * - `inputTexts(cases)` the inputs of the first 400, read together.
 * - `suggestSimilar(left, right)` the nearest case for each, from 60 % shared words. Bounded: only the first 400 per side are
 *   considered.
 */
import type { EvalResult } from "../results/result.ts";
import type { SideCase } from "./side.ts";

const lookedAt = 400;
const leastSimilarity = 0.6;
const longestText = 4000;

export function similarity(one: string, other: string): number {
  return overlap(wordsOf(one), wordsOf(other));
}

export function suggestSimilar(left: readonly SideCase[], right: readonly SideCase[]) {
  const [ones, others] = [left.slice(0, lookedAt), right.slice(0, lookedAt)];
  if (ones.length === 0 || others.length === 0) return [];
  const [textsA, textsB] = [inputTexts(ones), inputTexts(others)];
  const candidates = others.map((b) => ({ b, words: wordsOf(`${b.name} ${textsB.get(b) ?? ""}`) }));
  const holders = new Map<string, number[]>();
  candidates.forEach(({ words }, i) => {
    for (const word of words) holders.set(word, [...(holders.get(word) ?? []), i]);
  });
  const taken = new Set<SideCase>();
  return ones.flatMap((a) => {
    const words = wordsOf(`${a.name} ${textsA.get(a) ?? ""}`);
    let best: { b: SideCase; near: number } | null = null;
    for (const i of promising(words, holders)) {
      const { b, words: theirs } = candidates[i]!;
      if (taken.has(b)) continue;
      const near = overlap(words, theirs);
      if (near >= leastSimilarity && near > (best?.near ?? 0)) best = { b, near };
    }
    if (!best) return [];
    taken.add(best.b);
    return [{ a, b: best.b, similarity: best.near }];
  });
}

/**
 * Two texts that share 60 % of their words also share one of the rarer 40 % of either, so only cases with such a word are
 * considered. Words that more than 50 cases have are ignored.
 */
function promising(words: ReadonlySet<string>, holders: ReadonlyMap<string, readonly number[]>): Set<number> {
  const rarest = [...words]
    .map((word) => holders.get(word) ?? [])
    .sort((one, other) => one.length - other.length)
    .slice(0, Math.ceil(words.size * (1 - leastSimilarity)) + 1);
  return new Set(rarest.filter((held) => held.length <= 50).flat());
}

export function inputTexts(cases: readonly SideCase[]): Map<SideCase, string> {
  const texts = new Map<SideCase, string>();
  for (const [side, own] of Map.groupBy(cases.slice(0, 2 * lookedAt), (one) => one.side)) {
    const results = side.read(own.map((one) => one.rows()[0]!));
    for (const one of own) texts.set(one, inputText(results.get(one.rows()[0]!)));
  }
  return texts;
}

function inputText(result: EvalResult | undefined): string {
  const input = result?.input;
  if (input === null || input === undefined) return "";
  return (typeof input === "string" ? input : (JSON.stringify(input) ?? "")).slice(0, longestText);
}

function wordsOf(text: string): Set<string> {
  return new Set(
    text
      .slice(0, longestText)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [],
  );
}

function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 || other.size === 0) return 0;
  let shared = 0;
  for (const word of one) if (other.has(word)) shared++;
  return shared / (one.size + other.size - shared);
}
