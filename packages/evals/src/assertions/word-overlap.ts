/**
 * How much two texts have in common, by their words.
 *
 * - `bleu(candidate, references)` up to four words in a row, with a penalty for brevity.
 * - `gleu(candidate, references)` the smaller of precision and recall of runs of one to four words.
 * - `rouge1(candidate, reference)` the F1 of single words, split as in the Penn Treebank.
 * - `meteor(candidate, references, weights)` matches of words and of their stems, less for scattered ones. Synonyms do not
 *   count: the dictionary for them is larger than Devflow.
 */
import { porterStem } from "./porter-stem.ts";

function runsOf(words: readonly string[], length: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (let at = 0; at + length <= words.length; at += 1) {
    const run = words.slice(at, at + length).join(" ");
    counts.set(run, (counts.get(run) ?? 0) + 1);
  }
  return counts;
}

const total = (counts: ReadonlyMap<string, number>): number => counts.values().reduce((sum, count) => sum + count, 0);

function common(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const [run, count] of a) sum += Math.min(count, b.get(run) ?? 0);
  return sum;
}

const words = (text: string): string[] => text.toLowerCase().trim().split(/\s+/);
const longestRun = 4;
/** Stands for no match at all, so that the mean of logarithms exists. */
const tiny = 1e-7;

export function bleu(candidate: string, references: readonly string[]): number {
  if (candidate.trim() === "") return 0;
  const own = words(candidate);
  const others = references.map(words);
  const distance = (length: number) => Math.abs(length - own.length);
  const closest = others
    .map(({ length }) => length)
    .reduce((best, length) =>
      distance(length) < distance(best) || (distance(length) === distance(best) && length < best) ? length : best,
    );
  const precisions: number[] = [];
  for (let length = 1; length <= Math.min(longestRun, own.length); length += 1) {
    const runs = runsOf(own, length);
    const best = Math.max(...others.map((other) => common(runs, runsOf(other, length))));
    precisions.push(best / total(runs) || tiny);
  }
  const brevity = own.length > closest ? 1 : Math.exp(1 - closest / own.length);
  return brevity * Math.exp(precisions.reduce((sum, one) => sum + Math.log(one), 0) / precisions.length);
}

export function gleu(candidate: string, references: readonly string[]): number {
  const split = (text: string): string[] => {
    const found = words(text).map((word) => word.replace(/\.+$/, ""));
    return found.some(Boolean) ? found : [];
  };
  const own = split(candidate);
  if (own.length === 0) return 0;
  const scores = references.map((reference) => {
    const other = split(reference);
    if (own.length === other.length && own.every((word, index) => word === other[index])) return 1;
    let [matched, ownTotal, otherTotal] = [0, 0, 0];
    for (let length = 1; length <= longestRun; length += 1) {
      const [a, b] = [runsOf(own, length), runsOf(other, length)];
      matched += common(a, b);
      ownTotal += total(a);
      otherTotal += total(b);
    }
    return ownTotal === 0 || otherTotal === 0 ? 0 : Math.min(matched / ownTotal, matched / otherTotal);
  });
  return Math.max(...scores);
}

export function rouge1(candidate: string, reference: string): number {
  const [a, b] = [runsOf(treebankWords(candidate), 1), runsOf(treebankWords(reference), 1)];
  const overlap = common(a, b);
  if (overlap === 0) return 0;
  const [precision, recall] = [overlap / total(a), overlap / total(b)];
  return precision === recall ? precision : (2 * precision * recall) / (precision + recall);
}

const contractions = [
  "can not",
  "d 'ye",
  "gim me",
  "gon na",
  "got ta",
  "lem me",
  "more 'n",
  "wan na",
  "'t is",
  "'t was",
].map((pair) => [pair.replace(" ", ""), pair] as const);

/** Words and punctuation of one sentence, as the Penn Treebank splits them. */
function treebankWords(text: string): string[] {
  const plain = text.replace(/[\s\u0085]+/g, " ").trim();
  if (plain === "") return [];
  let isOpen = false;
  const split = plain
    .replace(/``|''|"/g, (quote) => {
      isOpen = quote === "``" || (quote === '"' && !isOpen);
      return isOpen ? " `` " : " '' ";
    })
    .replace(/\.{3}/g, " ... ")
    .replace(/[:,](?!\p{Nd})/gu, " $& ")
    .replace(/[;@#$%&]/g, " $& ")
    .replace(/([^.])(?<!\b[A-Za-z]\.[A-Za-z])\.([\])}>'\s]*)$/, "$1 .$2 ")
    .replace(/[?!]|[\][(){}<>]|--/g, " $& ");
  const spaced = ` ${split} `
    .replace(/([^'])' /g, "$1 ' ")
    .replace(/'([smd]) /gi, " '$1 ")
    .replace(/('ll|'re|'ve|n't) /gi, " $1 ");
  return spaced
    .trim()
    .split(/ +/)
    .flatMap((word) => contractions.find(([joined]) => joined === word.toLowerCase())?.[1].split(" ") ?? [word]);
}

type Numbered = readonly [index: number, word: string];

/** Pairs equal words, from the end; returns the pairs and what is left of both. */
function pairEqual(own: readonly Numbered[], other: readonly Numbered[]) {
  const pairs: [number, number][] = [];
  const [ownLeft, otherLeft] = [[...own], [...other]];
  for (let i = ownLeft.length - 1; i >= 0; i -= 1) {
    const j = otherLeft.findLastIndex(([, word]) => word === ownLeft[i]?.[1]);
    if (j === -1) continue;
    pairs.push([(ownLeft[i] as Numbered)[0], (otherLeft[j] as Numbered)[0]]);
    ownLeft.splice(i, 1);
    otherLeft.splice(j, 1);
  }
  return { pairs, ownLeft, otherLeft };
}

export interface MeteorWeights {
  readonly alpha: number;
  readonly beta: number;
  readonly gamma: number;
}

export function meteor(
  candidate: string,
  references: readonly string[],
  { alpha, beta, gamma }: MeteorWeights,
): number {
  const numbered = (text: string): Numbered[] =>
    text.split(/\s+/).map((word, index) => [index, word.replace(/\.+$/, "").toLowerCase()] as const);
  const stems = (given: readonly Numbered[]): Numbered[] =>
    given.map(([index, word]) => [index, porterStem(word)] as const);
  const scores = references.map((reference) => {
    const [own, other] = [numbered(candidate), numbered(reference)];
    const exact = pairEqual(own, other);
    const stemmed = pairEqual(stems(exact.ownLeft), stems(exact.otherLeft));
    const pairs = [...exact.pairs, ...stemmed.pairs].toSorted(([a], [b]) => a - b);
    if (pairs.length === 0) return 0;
    const [precision, recall] = [pairs.length / own.length, pairs.length / other.length];
    const mean = (precision * recall) / (alpha * precision + (1 - alpha) * recall);
    const chunks = pairs.filter(([a, b], index) => {
      const before = pairs[index - 1];
      return !before || a !== before[0] + 1 || b !== before[1] + 1;
    }).length;
    return (1 - gamma * (chunks / pairs.length) ** beta) * mean;
  });
  return Math.max(...scores);
}
