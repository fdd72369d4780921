/**
 * Findings that stay valid when a comparison is repeated after every new run, and stopped when it says what one hoped for.
 *
 * - `sequentialPass(measured, compared)` the pass finding with an anytime-valid p and interval.
 * - `sequentialCriteria(measured, compared)` the same p for scores, from which side of each pair scored higher; without intervals.
 *
 * The first result of a case on one side is paired with its first on the other side, the second with the second, in the order of
 * the runs. New runs only add pairs, and results without a counterpart wait for one.
 */
import { agreeAtZero, differenceSequence, pairedEvidence } from "../statistics/index.ts";
import type { MeasuredCriterion } from "./criterion-findings.ts";
import type { ChosenPairs } from "./measure-suite.ts";
import type { MeasuredPass } from "./pass-finding.ts";
import { type Side, status } from "./side.ts";

export function sequentialPass(measured: MeasuredPass, compared: ChosenPairs): MeasuredPass {
  const tally = tallyPairs(compared, (side, row) => (isVerdict(side, row) ? Number(isPass(side, row)) : Number.NaN));
  const { p } = pairedEvidence(tally.better, tally.worse);
  const difference = tally.pairs === 0 ? 0 : (tally.better - tally.worse) / tally.pairs;
  const interval = differenceSequence(tally) ?? { low: -1, high: 1 };
  return {
    ...measured,
    difference,
    interval: agreeAtZero(interval, difference, p) ?? interval,
    intervalMethod: "confidence sequence",
    p,
    midP: p,
    method: "sequential",
    isSequential: true,
  };
}

export function sequentialCriteria(measured: readonly MeasuredCriterion[], compared: ChosenPairs): MeasuredCriterion[] {
  return measured.map((one) => {
    const score = (side: Side, row: number) =>
      isVerdict(side, row) ? (side.scores.get(one.criterion)?.at(row) ?? Number.NaN) : Number.NaN;
    const { better, worse } = tallyPairs(compared, score);
    const { p } = pairedEvidence(better, worse);
    return { ...one, p, interval: null, better: { ...one.better, interval: null, hasChange: true } };
  });
}

/** How many pairs there are, and in how many the newer side is higher or lower. */
function tallyPairs({ pairs, chosen }: ChosenPairs, read: (side: Side, row: number) => number) {
  const tally = { pairs: 0, better: 0, worse: 0 };
  for (const i of chosen) {
    const [a, b] = [valuesOf(pairs.a, pairs.noA(i), read), valuesOf(pairs.b, pairs.noB(i), read)];
    for (let at = 0; at < Math.min(a.length, b.length); at++) {
      tally.pairs++;
      if (b[at]! > a[at]!) tally.better++;
      if (b[at]! < a[at]!) tally.worse++;
    }
  }
  return tally;
}

function valuesOf(side: Side, no: number, read: (side: Side, row: number) => number): number[] {
  const rows = [...side.rows(no)];
  const atOf = (row: number) => side.runs[side.run[row]!]!.run.at;
  if (side.runs.length > 1) rows.sort((one, other) => compareText(atOf(one), atOf(other)) || one - other);
  return rows.map((row) => read(side, row)).filter((value) => Number.isFinite(value));
}

const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
const isPass = (side: Side, row: number): boolean => side.status[row] === status.pass;
const isVerdict = (side: Side, row: number): boolean => isPass(side, row) || side.status[row] === status.fail;
