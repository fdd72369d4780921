/**
 * The outcome of a check: passed, failed, or could not run.
 *
 * - `Stop` ends a check from anywhere inside it: FAIL if the output is wrong, ERROR if the check could not run. The registry
 *   catches it, so a checker contains only its happy path and a negated check cannot swallow it.
 */
export const outcomeStatuses = ["pass", "fail", "error"] as const;
export type OutcomeStatus = (typeof outcomeStatuses)[number];

export interface Outcome {
  readonly status: OutcomeStatus;
  /** 0 to 1; only for judged types. */
  readonly score?: number;
  readonly message: string;
  readonly expected: unknown;
  readonly actual: unknown;
  /** Where in the output: `output.body line 3`, `output.tool_calls[2]`. */
  readonly place?: string;
  readonly details?: unknown;
}

export interface Verdict {
  readonly passed: boolean;
  readonly message: string;
  readonly expected: unknown;
  readonly actual: unknown;
  readonly place?: string | undefined;
  readonly score?: number | undefined;
  readonly details?: unknown;
}

export class Stop extends Error {
  readonly outcome: Outcome;
  constructor(outcome: Outcome) {
    super(outcome.message);
    this.outcome = outcome;
  }
}

/** The output is wrong. */
export function failing(message: string, facts: { expected: unknown; actual: unknown; place?: string }): Stop {
  return new Stop({ status: "fail", message, ...facts });
}

/** The check could not run: the case lacks what it needs, a limit was hit, a judge failed. */
export function impossible(
  message: string,
  facts: { expected?: unknown; actual?: unknown; place?: string; details?: unknown } = {},
): Stop {
  return new Stop({ status: "error", message, expected: null, actual: null, ...facts });
}

export function outcomeOf({ passed, message, expected, actual, place, score, details }: Verdict): Outcome {
  return {
    status: passed ? "pass" : "fail",
    message,
    expected,
    actual,
    ...(score === undefined ? {} : { score }),
    ...(place === undefined ? {} : { place }),
    ...(details === undefined ? {} : { details }),
  };
}
