/**
 * Look-alikes among the cases that found no partner: a hint for a person, never a pair.
 *
 * - `similarity(one, other)` shared words, 0 to 1.
 * - `suggestSimilar(left, right)` for each case its nearest, from 60 % shared words. Bounded: among many leftovers only
 *   the first 400 a side are looked at.
 */
import type { SideCase } from "./side.ts";

const lookedAt = 400;
const leastSimilarity = 0.6;
const longestText = 4000;

export function similarity(one: string, other: string): number {
  return overlap(wordsOf(one), wordsOf(other));
}

export function suggestSimilar(left: readonly SideCase[], right: readonly SideCase[]) {
  const candidates = right.slice(0, lookedAt).map((b) => ({ b, words: wordsOf(`${b.name} ${inputText(b)}`) }));
  const taken = new Set<SideCase>();
  return left.slice(0, lookedAt).flatMap((a) => {
    const words = wordsOf(`${a.name} ${inputText(a)}`);
    let best: { b: SideCase; near: number } | null = null;
    for (const { b, words: others } of candidates) {
      if (taken.has(b) || Math.min(words.size, others.size) < leastSimilarity * Math.max(words.size, others.size))
        continue;
      const near = overlap(words, others);
      if (near >= leastSimilarity && near > (best?.near ?? 0)) best = { b, near };
    }
    if (!best) return [];
    taken.add(best.b);
    return [{ a, b: best.b, similarity: best.near }];
  });
}

export function inputText({ results }: SideCase): string {
  const input = results[0]?.result.input;
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
