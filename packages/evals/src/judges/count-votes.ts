/**
 * Combines several votes into one score per criterion.
 *
 * - `countVotes(rule, votes)` mean, median (of an even number, the mean of the middle two), or majority: the highest score that
 *   more than half of the votes reach, so that it reaches a threshold exactly if more than half do.
 */
import type { VoteRule } from "./judge-profile.ts";

export function countVotes(rule: VoteRule, votes: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const names = Object.keys(votes[0] ?? {});
  return Object.fromEntries(
    names.map((name) => [
      name,
      countOne(
        rule,
        votes.map((vote) => vote[name] ?? Number.NaN),
      ),
    ]),
  );
}

function countOne(rule: VoteRule, scores: readonly number[]): number {
  const sorted = scores.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  switch (rule) {
    case "mean":
      return scores.reduce((sum, score) => sum + score, 0) / scores.length;
    case "median":
      return ((sorted[Math.ceil(half) - 1] ?? Number.NaN) + (sorted[Math.floor(half)] ?? Number.NaN)) / 2;
    case "majority":
      return sorted[Math.ceil(half) - 1] ?? Number.NaN;
  }
}
