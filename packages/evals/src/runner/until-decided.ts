/**
 * Decides, while results arrive, whether variants differ from the first one (or from an earlier run).
 *
 * - `sequentialDecision(plan)` `add(side, case, repeat, status)` takes a result; `findings` what is known so far;
 *   `isDecided(side)` its verdict will not change; `isOver` no more results are needed.
 *
 * Pairs are counted in the order of the plan: repeat by repeat, case by case. A pair counts when all pairs before it are known.
 * In the order in which results arrive, quick ones would come first, and if failures are quick, that alone would look like a
 * regression. The test and the interval hold at every moment, so looking after every pair and stopping early is allowed
 * (docs/evals-statistics.md).
 */
import { decide, passScale, type Verdict } from "../compare/index.ts";
import { agreeAtZero, differenceSequence, holm, type Interval, pairedEvidence } from "../statistics/index.ts";

export type PairStatus = "pass" | "fail" | "error" | "skipped";

export interface DecisionPlan {
  readonly cases: number;
  /** Names of the sides; the first is the control. */
  readonly sides: readonly string[];
  readonly alpha?: number;
}

export interface SequentialFinding {
  readonly side: string;
  readonly verdict: Verdict;
  readonly isDecided: boolean;
  readonly pairs: number;
  readonly better: number;
  readonly worse: number;
  readonly difference: number;
  readonly interval: Interval | null;
  /** The smallest so far; valid at any time. */
  readonly p: number;
  readonly pAdjusted: number;
}

export interface SequentialDecision {
  add(side: number, caseNo: number, repeat: number, status: PairStatus): void;
  readonly findings: readonly SequentialFinding[];
  isDecided(side: number): boolean;
  readonly isOver: boolean;
}

interface Rival {
  readonly side: number;
  /** How far its pairs are known without a gap. */
  next: number;
  pairs: number;
  better: number;
  worse: number;
  p: number;
  finding: SequentialFinding;
}

export function sequentialDecision({ cases, sides, alpha = 0.05 }: DecisionPlan): SequentialDecision {
  const statuses = sides.map(() => new Map<number, PairStatus>());
  const rivals: Rival[] = sides.slice(1).map((name, index) => ({
    side: index + 1,
    next: 0,
    pairs: 0,
    better: 0,
    worse: 0,
    p: 1,
    finding: findingOf(name, { pairs: 0, better: 0, worse: 0, p: 1 }, 1, cases, alpha),
  }));

  /** True if at least one more pair is known. */
  const advance = (rival: Rival): boolean => {
    const [control, own] = [statuses[0]!.get(rival.next), statuses[rival.side]!.get(rival.next)];
    if (control === undefined || own === undefined) return false;
    rival.next += 1;
    if (!isVerdict(control) || !isVerdict(own)) return true;
    rival.pairs += 1;
    if (own === control) return true;
    if (own === "pass") rival.better += 1;
    else rival.worse += 1;
    rival.p = Math.min(rival.p, pairedEvidence(rival.better, rival.worse).p);
    return true;
  };
  const judge = () => {
    const adjusted = holm(rivals.map(({ p }) => p));
    for (const [index, rival] of rivals.entries()) {
      if (rival.finding.isDecided) continue;
      rival.finding = findingOf(sides[rival.side]!, rival, adjusted[index] ?? 1, cases, alpha);
    }
  };

  return {
    add(side, caseNo, repeat, status) {
      statuses[side]?.set(repeat * cases + caseNo, status);
      for (const rival of rivals) {
        while (!rival.finding.isDecided && advance(rival)) judge();
      }
    },
    get findings() {
      return rivals.map(({ finding }) => finding);
    },
    isDecided: (side) =>
      side === 0 ? rivals.every(({ finding }) => finding.isDecided) : rivals[side - 1]?.finding.isDecided === true,
    get isOver() {
      return rivals.length > 0 && rivals.every(({ finding }) => finding.isDecided);
    },
  };
}

const isVerdict = (status: PairStatus): boolean => status === "pass" || status === "fail";

function findingOf(
  side: string,
  { pairs, better, worse, p }: Pick<Rival, "pairs" | "better" | "worse" | "p">,
  pAdjusted: number,
  cases: number,
  alpha: number,
): SequentialFinding {
  const difference = pairs === 0 ? 0 : (better - worse) / pairs;
  const interval = agreeAtZero(differenceSequence({ pairs, better, worse }, alpha), difference, p, alpha);
  const verdict = decide({
    cases: Math.min(cases, pairs),
    difference,
    interval,
    pAdjusted,
    // Unlike a finished run, equal results so far do not end the test: the interval has to rule out a loss.
    hasChange: true,
    alpha,
    ...passScale,
  });
  return {
    side,
    verdict,
    isDecided: verdict !== "not enough data",
    pairs,
    better,
    worse,
    difference,
    interval,
    p,
    pAdjusted,
  };
}
