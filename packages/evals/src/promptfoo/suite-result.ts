/** One result of a suite, in the format of promptfoo's own files (JSON v3). */
import type { Assertion, Grade } from "../assertions/index.ts";

/** Why a result is no success: 1, an assertion failed; 2, the call or a check broke. */
export const failureReasons = { none: 0, assertion: 1, error: 2 } as const;

export interface SuiteResult {
  readonly id: string;
  readonly testIdx: number;
  readonly promptIdx: number;
  readonly promptId: string;
  readonly provider: { readonly id: string; readonly label: string };
  readonly prompt: { readonly raw: string; readonly label: string };
  readonly vars: Readonly<Record<string, unknown>>;
  readonly testCase: {
    readonly description?: string | undefined;
    readonly vars: Readonly<Record<string, unknown>>;
    readonly assert: readonly Assertion[];
    readonly options: Readonly<Record<string, unknown>>;
    readonly metadata: Readonly<Record<string, unknown>>;
    readonly threshold?: number | undefined;
  };
  readonly response: Readonly<Record<string, unknown>>;
  readonly error?: string | undefined;
  readonly success: boolean;
  readonly failureReason: 0 | 1 | 2;
  readonly score: number;
  readonly namedScores: Readonly<Record<string, number>>;
  readonly latencyMs: number;
  readonly cost: number;
  readonly gradingResult: Grade | null;
  readonly tokenUsage: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A judge that did not answer says nothing about the output: ERROR, as in imported files. */
export function statusOf({ success, failureReason, gradingResult }: SuiteResult): "pass" | "fail" | "error" {
  if (failureReason === failureReasons.error) return "error";
  if (success) return "pass";
  const failed = leaves(gradingResult?.componentResults ?? []).filter(({ pass }) => !pass);
  return failed.length > 0 && failed.every(({ metadata }) => metadata?.graderError === true) ? "error" : "fail";
}

const leaves = (grades: readonly Grade[]): readonly Grade[] =>
  grades.flatMap((one) =>
    one.componentResults && one.componentResults.length > 0 ? leaves(one.componentResults) : [one],
  );

/** Why it failed, one line per failed assertion. */
export function problemsOf({ error, gradingResult, failureReason }: SuiteResult): string[] {
  if (failureReason === failureReasons.error) return [error ?? "could not be checked"];
  const failed = leaves(gradingResult?.componentResults ?? []).filter(({ pass }) => !pass);
  const told = failed.map(({ assertion, reason }) => `${assertion?.type ?? "assertion"}: ${reason}`);
  return told.length > 0 ? [...new Set(told)] : [gradingResult?.reason ?? error ?? "failed"];
}

/** With the verdict of an assertion that compared this output with others. */
export function withComparison(result: SuiteResult, grade: Grade, keepsNamedScores: boolean): SuiteResult {
  const before = result.gradingResult;
  if (result.failureReason === failureReasons.error) return result;
  const success = result.success && grade.pass;
  const score = grade.pass ? result.score : grade.score;
  const namedScores = keepsNamedScores ? { ...result.namedScores, ...grade.namedScores } : result.namedScores;
  return {
    ...result,
    success,
    score,
    failureReason: success ? failureReasons.none : failureReasons.assertion,
    namedScores: result.namedScores,
    ...(success ? {} : { error: grade.pass ? result.error : grade.reason }),
    gradingResult: {
      ...(before ?? { pass: true, score: 1 }),
      pass: success,
      score,
      reason: grade.pass ? (before?.reason ?? grade.reason) : grade.reason,
      namedScores,
      componentResults: [...(before?.componentResults ?? []), grade],
    },
  };
}
