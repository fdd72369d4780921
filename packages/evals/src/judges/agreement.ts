/**
 * Agreement of judges with each other and with themselves.
 *
 * - `judgeAgreement(items, alpha)` Krippendorff's alpha per criterion over the votes; below .667 a criterion does not gate.
 *
 * The statistics functions are passed in.
 */
import { leastGatingAlpha } from "../statistics/index.ts";

/** `krippendorffAlpha`: each unit's votes. */
export type Alpha = (units: readonly (readonly number[])[], level: "interval" | "nominal") => number | null;

export interface CriterionAgreement {
  readonly criterion: string;
  readonly items: number;
  /** Over the scores; null if nothing varies or there is too little data. */
  readonly scores: number | null;
  /** Over pass and fail at the threshold. */
  readonly verdicts: number | null;
  readonly mayGate: boolean;
}

export interface JudgedItem {
  readonly votes: readonly { readonly scores: Readonly<Record<string, number>> }[];
  readonly thresholds: Readonly<Record<string, number>>;
}

export function judgeAgreement(items: readonly JudgedItem[], alpha: Alpha): CriterionAgreement[] {
  const criteria = [
    ...new Set(items.flatMap(({ votes }) => votes.flatMap(({ scores }) => Object.keys(scores)))),
  ].sort();
  return criteria.map((criterion) => {
    const rated = items.flatMap(({ votes, thresholds }) => {
      const given = votes.flatMap(({ scores }) => (scores[criterion] === undefined ? [] : [scores[criterion]]));
      return given.length > 1 ? [{ given, threshold: thresholds[criterion] ?? 0.5 }] : [];
    });
    const table = rated.map(({ given }) => given);
    const verdicts = rated.map(({ given, threshold }) => given.map((score) => (score >= threshold ? 1 : 0)));
    const scores = rated.length > 0 ? alpha(table, "interval") : null;
    return {
      criterion,
      items: rated.length,
      scores,
      verdicts: rated.length > 0 ? alpha(verdicts, "nominal") : null,
      mayGate: scores !== null && scores >= leastGatingAlpha,
    };
  });
}
