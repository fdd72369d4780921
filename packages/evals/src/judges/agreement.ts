/**
 * How far judges can be trusted: among themselves, with themselves, and against people.
 *
 * - `judgeAgreement(items, alpha)` Krippendorff's alpha per criterion over the votes; below .667 a judge does not gate.
 * - `judgeCalibration(pairs, measures)` the confusion matrix against human labels, with kappa and AC1 once there are
 *   30 labels with 10 of the rarer class.
 *
 * The statistics are handed in; here is what they are computed over.
 */
/** `krippendorffAlpha`: each unit's votes. */
export type Alpha = (units: readonly (readonly number[])[], level: "interval" | "nominal") => number | null;

export interface CriterionAgreement {
  readonly criterion: string;
  readonly items: number;
  /** Over the scores; null when nothing varies or too little is known. */
  readonly scores: number | null;
  /** Over pass and fail at the threshold. */
  readonly verdicts: number | null;
  readonly mayGate: boolean;
}

export const gatingAlpha = 0.667;

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
      mayGate: scores !== null && scores >= gatingAlpha,
    };
  });
}

export interface Confusion {
  readonly bothPass: number;
  readonly onlyJudge: number;
  readonly onlyHuman: number;
  readonly bothFail: number;
}

/** Of a table with the judge's verdicts as rows and the person's as columns, pass first. */
export interface CalibrationMeasures {
  readonly cohensKappa: (table: number[][]) => number | null;
  readonly gwetsAc1: (table: number[][]) => number | null;
}

export interface Calibration {
  readonly confusion: Confusion;
  readonly labels: number;
  readonly isEnough: boolean;
  readonly cohensKappa: number | null;
  readonly gwetsAc1: number | null;
}

const [enoughLabels, enoughOfRarer] = [30, 10];

export function judgeCalibration(
  pairs: readonly { readonly judge: boolean; readonly human: boolean }[],
  { cohensKappa, gwetsAc1 }: CalibrationMeasures,
): Calibration {
  const count = (judge: boolean, human: boolean) =>
    pairs.filter((pair) => pair.judge === judge && pair.human === human).length;
  const confusion = {
    bothPass: count(true, true),
    onlyJudge: count(true, false),
    onlyHuman: count(false, true),
    bothFail: count(false, false),
  };
  const table = [
    [confusion.bothPass, confusion.onlyJudge],
    [confusion.onlyHuman, confusion.bothFail],
  ];
  const humanPasses = confusion.bothPass + confusion.onlyHuman;
  const rarer = Math.min(humanPasses, pairs.length - humanPasses);
  const isEnough = pairs.length >= enoughLabels && rarer >= enoughOfRarer;
  return {
    confusion,
    labels: pairs.length,
    isEnough,
    cohensKappa: isEnough ? cohensKappa(table) : null,
    gwetsAc1: isEnough ? gwetsAc1(table) : null,
  };
}
