/** Codex's errors in words, and whether they mean that the model's provider refuses requests for a while. */
export interface CodexError {
  readonly message: string;
  readonly codexErrorInfo?: unknown;
  readonly additionalDetails?: string | null;
}

export interface CodexFailure {
  readonly reason: string;
  readonly isRateLimit: boolean;
}

export function codexFailure({ message, codexErrorInfo, additionalDetails }: CodexError): CodexFailure {
  const status = statusOf(codexErrorInfo);
  const isRateLimit =
    status === 429 || codexErrorInfo === "rateLimitExceeded" || codexErrorInfo === "usageLimitExceeded";
  const said = (additionalDetails ?? message).slice(0, 500);
  return { reason: status === undefined ? said : `the model's provider answered ${status}: ${said}`, isRateLimit };
}

/** Some kinds of errors carry the status of the provider's answer: `{ kind: { httpStatusCode } }`. */
function statusOf(info: unknown): number | undefined {
  if (typeof info !== "object" || info === null) return undefined;
  const [about] = Object.values(info) as ({ httpStatusCode?: unknown } | null)[];
  return typeof about?.httpStatusCode === "number" ? about.httpStatusCode : undefined;
}

export interface RateLimits {
  readonly primary?: RateWindow | null;
  readonly secondary?: RateWindow | null;
}
interface RateWindow {
  readonly usedPercent: number;
  /** In seconds since 1970. */
  readonly resetsAt: number | null;
}

/** When the last of the used-up limits is renewed; undefined when none is known to be. */
export function renewedAt({ primary, secondary }: RateLimits): Date | undefined {
  const times = [primary, secondary].flatMap((one) =>
    one && one.usedPercent >= 100 && one.resetsAt ? [one.resetsAt] : [],
  );
  return times.length === 0 ? undefined : new Date(Math.max(...times) * 1000);
}
