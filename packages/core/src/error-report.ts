/**
 * An error as it is sent between processes: complete, so that the receiver reports and handles it the same way. Safe in a browser.
 *
 * - `ErrorReport` what every process of Devflow sends: `errorReport(thrown)` makes one, `new DevflowError(report)` turns
 *   it back into an error (both in `errors.ts`).
 * - `readErrorReport(value)` parses a received value; undefined when it is not a report. An unknown code, from a newer
 *   process, keeps its message, hint and exit code.
 */

const errorClasses = ["recoverable", "human_required", "user", "fatal"] as const;
export type ErrorClass = (typeof errorClasses)[number];

export type ErrorDetails = Readonly<Record<string, unknown>>;

export interface ErrorReport {
  readonly code: string;
  readonly class: ErrorClass;
  /** What happened. */
  readonly message: string;
  /** What to do next; empty when there is nothing. */
  readonly hint: string;
  /** HTTP status. */
  readonly status: number;
  /** Exit code of a command. */
  readonly exit: number;
  /** What the message was filled from, for programs. */
  readonly details: ErrorDetails;
}

export function readErrorReport(value: unknown): ErrorReport | undefined {
  if (!isRecord(value) || typeof value.code !== "string" || typeof value.message !== "string") return undefined;
  return {
    code: value.code,
    class: errorClasses.find((one) => one === value.class) ?? "fatal",
    message: value.message,
    hint: typeof value.hint === "string" ? value.hint : "",
    status: within(value.status, 400, 599) ?? 500,
    exit: within(value.exit, 1, 255) ?? 70,
    details: isRecord(value.details) ? value.details : {},
  };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function within(value: unknown, least: number, most: number): number | undefined {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most
    ? (value as number)
    : undefined;
}
