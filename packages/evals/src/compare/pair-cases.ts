/**
 * Pairs the cases of B with the cases of A.
 *
 * - `pairCases(a, b)` same name and same input: the same case. Same name and other input: another case. Other name and equal
 *   input: renamed, paired. Only similar: suggested, never paired. If a tool gave no input, the name decides if it is unique.
 *   Linear in the number of results; order does not matter.
 */

import { type CasePair, CasePairs } from "./case-pairs.ts";
import { type ComparedRun, gatherSides, type Side, SideCase } from "./side.ts";
import { inputTexts, similarity, suggestSimilar } from "./similar-cases.ts";

export interface SuggestedPair {
  readonly a: SideCase;
  readonly b: SideCase;
  readonly reason: "same name, other input" | "equal input, several candidates" | "similar";
  readonly similarity: number;
}

export interface Pairing {
  readonly a: Side;
  readonly b: Side;
  readonly pairs: CasePairs;
  readonly added: readonly SideCase[];
  readonly removed: readonly SideCase[];
  readonly suggestions: readonly SuggestedPair[];
  readonly superseded: { readonly a: number; readonly b: number };
}

export function pairCases(a: readonly ComparedRun[], b: readonly ComparedRun[]): Pairing {
  const sides = gatherSides(a, b);
  const pairs = new CasePairs(sides.a, sides.b);
  const left = new Set<SideCase>();
  const right = new Set<SideCase>();
  const take = (one: SideCase, other: SideCase, by: CasePair["by"]) => {
    pairs.add(one.no, other.no, by);
    left.delete(one);
    right.delete(other);
  };
  for (let no = 0; no < sides.a.cases.size; no++) {
    const [inA, inB] = [sides.a.has(no), sides.b.has(no)];
    if (inA && inB) pairs.add(no, no, "name and input");
    else if (inA) left.add(new SideCase(sides.a, no));
    else right.add(new SideCase(sides.b, no));
  }
  pairByNameAlone(left, right, take);
  const unclear = pairRenamed(left, right, take);
  return {
    ...sides,
    pairs,
    added: [...right],
    removed: [...left],
    suggestions: suggest(left, right, unclear),
    superseded: { a: sides.a.superseded, b: sides.b.superseded },
  };
}

type Take = (one: SideCase, other: SideCase, by: CasePair["by"]) => void;

/** If one side lacks the input, cases are paired by name, if the name is unique on both sides. */
function pairByNameAlone(left: Set<SideCase>, right: Set<SideCase>, take: Take): void {
  const byName = groupBy(right, ({ name }) => name);
  for (const [name, ones] of groupBy(left, (one) => one.name)) {
    const others = byName.get(name) ?? [];
    const [one, other] = [ones[0], others[0]];
    if (ones.length !== 1 || others.length !== 1 || !one || !other) continue;
    if (one.inputSha === null || other.inputSha === null) take(one, other, "name");
  }
}

function pairRenamed(left: Set<SideCase>, right: Set<SideCase>, take: Take): SuggestedPair[] {
  const unclear: SuggestedPair[] = [];
  const byInput = groupBy(right, ({ inputSha }) => inputSha);
  for (const [inputSha, ones] of groupBy(left, (one) => one.inputSha)) {
    const others = byInput.get(inputSha) ?? [];
    if (inputSha === null || others.length === 0) continue;
    for (const { a, b } of matchAmong(ones, others)) take(a, b, "renamed");
    const rest = ones.filter((one) => left.has(one));
    const open = others.filter((other) => right.has(other));
    if (rest[0] && open[0]) {
      unclear.push({ a: rest[0], b: open[0], reason: "equal input, several candidates", similarity: 1 });
    }
  }
  return unclear;
}

/** Several cases with one input are distinguished by their expectations, then by the nearest name; a tie stays unpaired. */
function matchAmong(ones: readonly SideCase[], others: readonly SideCase[]): { a: SideCase; b: SideCase }[] {
  if (ones.length === 1 && others.length === 1) return [{ a: ones[0]!, b: others[0]! }];
  const matched: { a: SideCase; b: SideCase }[] = [];
  const open = new Set(others);
  const byExpectation = groupBy(others, expectationOf);
  const unmatched: SideCase[] = [];
  for (const [expectation, same] of groupBy(ones, expectationOf)) {
    const candidates = byExpectation.get(expectation) ?? [];
    if (expectation !== null && same.length === 1 && candidates.length === 1) {
      matched.push({ a: same[0]!, b: candidates[0]! });
      open.delete(candidates[0]!);
    } else unmatched.push(...same);
  }
  // Names are compared pair by pair, so large groups are left unpaired.
  if (unmatched.length * open.size > 2500) return matched;
  for (const one of unmatched) {
    const ranked = [...open]
      .map((other) => ({ other, near: similarity(one.name, other.name) }))
      .sort((first, second) => second.near - first.near);
    const [best, next] = ranked;
    const isOnly = unmatched.length === 1 && ranked.length === 1;
    if (best && (isOnly || (best.near >= 0.3 && (!next || best.near > next.near)))) {
      matched.push({ a: one, b: best.other });
      open.delete(best.other);
    }
  }
  return matched;
}

function suggest(left: Set<SideCase>, right: Set<SideCase>, unclear: readonly SuggestedPair[]): SuggestedPair[] {
  const suggestions = [...unclear];
  const taken = new Set(unclear.flatMap(({ a, b }) => [a, b]));
  const isFree = (one: SideCase) => !taken.has(one);
  const byName = groupBy([...right].filter(isFree), ({ name }) => name);
  const sameName: { readonly a: SideCase; readonly b: SideCase }[] = [];
  for (const one of [...left].filter(isFree)) {
    const other = byName.get(one.name)?.pop();
    if (!other) continue;
    taken.add(one).add(other);
    sameName.push({ a: one, b: other });
  }
  const texts = inputTexts(sameName.flatMap(({ a, b }) => [a, b]));
  for (const { a, b } of sameName) {
    const near = similarity(texts.get(a) ?? "", texts.get(b) ?? "");
    suggestions.push({ a, b, reason: "same name, other input", similarity: near });
  }
  const rest = (side: Set<SideCase>) => [...side].filter((one) => !taken.has(one));
  for (const { a, b, similarity: near } of suggestSimilar(rest(left), rest(right))) {
    suggestions.push({ a, b, reason: "similar", similarity: near });
  }
  return suggestions;
}

function expectationOf({ side, no }: SideCase): string | null {
  return side.expectation(no);
}

function groupBy<T, K>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
