import { expect, test } from "bun:test";
import { judgeAgreement } from "./agreement.ts";
import { countVotes } from "./count-votes.ts";

const votes = (...scores: number[]) => scores.map((a) => ({ a }));

test("votes are combined by mean, median or majority", () => {
  expect(countVotes("mean", votes(0, 0.5, 1)).a).toBe(0.5);
  expect(countVotes("median", votes(0.9, 0.1, 0.2)).a).toBe(0.2);
  expect(countVotes("median", votes(0.2, 0.4, 0.8, 1)).a).toBeCloseTo(0.6);
  expect(countVotes("majority", votes(0.9, 0.1, 0.8)).a).toBe(0.8);
});

test("half of an even number of votes is not a majority", () => {
  expect(countVotes("majority", votes(0.9, 0.1)).a).toBe(0.1);
  expect(countVotes("majority", votes(0.9, 0.8, 0.7, 0.1)).a).toBe(0.7);
});

test("agreement is computed over items with at least two votes, and gates from .667", () => {
  const seen: unknown[] = [];
  const alpha = (table: readonly (readonly (number | null)[])[], level: string) => {
    seen.push([level, table]);
    return level === "interval" ? 0.7 : 0.6;
  };
  const items = [
    { votes: votes(0.9, 0.2).map((scores) => ({ scores })), thresholds: { a: 0.5 } },
    { votes: votes(0.9).map((scores) => ({ scores })), thresholds: { a: 0.5 } },
  ];
  expect(judgeAgreement(items, alpha)).toEqual([
    { criterion: "a", items: 1, scores: 0.7, verdicts: 0.6, mayGate: true },
  ]);
  expect(seen).toEqual([
    ["interval", [[0.9, 0.2]]],
    ["nominal", [[1, 0]]],
  ]);
});
