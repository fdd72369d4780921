/**
 * Compares the two sides of an A/B case.
 *
 * - `compareSides(case, control, treatment)` the deltas, and a failure for each criterion where the treatment is worse by more
 *   than the tolerance. Without judge scores, the share of passed expectations is compared.
 */
import type { EvalCase } from "../cases/index.ts";
import type { CheckedOutput } from "./check-case.ts";
import type { FailureRecord } from "./result-record.ts";

/** 0.80 − 0.85 is not exactly −0.05 in binary, but must be within a tolerance of 0.05. */
const rounding = 1e-9;

export function compareSides(
  { comparison }: EvalCase,
  control: CheckedOutput,
  treatment: CheckedOutput,
): { comparison: unknown; failures: FailureRecord[]; error: string | undefined } {
  const { tolerance = 0.05, flaky_criteria = {} as Record<string, number> } = comparison ?? {};
  const isScored = Object.keys(control.scores).length > 0 && Object.keys(treatment.scores).length > 0;
  const [before, after] = isScored
    ? [control.scores, treatment.scores]
    : [{ expectations_passed: control.share }, { expectations_passed: treatment.share }];
  const deltas = Object.entries(before as Record<string, number>).flatMap(([criterion, score]) => {
    const other = (after as Record<string, number>)[criterion];
    return other === undefined
      ? []
      : [{ criterion, control: score, treatment: other, delta: Number((other - score).toFixed(6)) }];
  });
  const failures = deltas.flatMap(({ criterion, control: was, treatment: is }): FailureRecord[] => {
    const allowed = Object.hasOwn(flaky_criteria, criterion) ? (flaky_criteria[criterion] ?? tolerance) : tolerance;
    if (is >= was - allowed - rounding) return [];
    return [
      {
        type: "threshold",
        expectation_type: "comparison",
        message: `${criterion} is ${Number(is.toFixed(4))} with the treatment and ${Number(was.toFixed(4))} without: worse by more than ${allowed}`,
        criterion,
        expected: Number((was - allowed).toFixed(6)),
        actual: is,
        place: `comparison ${criterion}`,
        details: deltas,
        scores: after as Record<string, number>,
      },
    ];
  });
  const broken = control.output.error ?? control.errors[0]?.message;
  return {
    comparison: { type: "ab_test", control_scores: before, treatment_scores: after, deltas, tolerance, flaky_criteria },
    failures: broken || treatment.output.error ? [] : failures,
    error: broken ? `the control could not be checked: ${broken}` : undefined,
  };
}
