/**
 * The app's output for a case, with its metadata.
 *
 * - `asCaseOutput(given)` from a plain output, or from an envelope `{ output, usage, turns, duration_ms, cached, error }`.
 */
export interface CaseOutput {
  readonly output: unknown;
  readonly error?: string | undefined;
  readonly durationMs?: number | undefined;
  readonly turns?: number | undefined;
  readonly cached?: boolean | undefined;
  readonly model?: string | undefined;
  /** As the app reports it, in the result format. */
  readonly usage?: readonly Readonly<Record<string, unknown>>[] | undefined;
}

/** The outputs of one case: one, two for an A/B test, or one per step of a tier chain. */
export type CaseOutputs =
  | { readonly kind: "one"; readonly one: CaseOutput }
  | { readonly kind: "ab"; readonly control: CaseOutput; readonly treatment: CaseOutput }
  | { readonly kind: "chain"; readonly steps: readonly CaseOutput[] };

const envelopeKeys = new Set([
  "name",
  "output",
  "repeat",
  "input",
  "input_sha",
  "usage",
  "turns",
  "duration_ms",
  "cached",
  "error",
  "model",
  "category",
  "tags",
]);

export function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function asCaseOutput(given: unknown): CaseOutput {
  const isEnvelope =
    isMembers(given) &&
    ("output" in given || typeof given.error === "string") &&
    Object.keys(given).every((key) => envelopeKeys.has(key));
  return isEnvelope ? readEnvelope(given) : { output: given };
}

/** From a record that is known to be an envelope. */
export function readEnvelope(given: Readonly<Record<string, unknown>>): CaseOutput {
  const number = (value: unknown) =>
    typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
  return {
    output: given.output,
    error: typeof given.error === "string" && given.error !== "" ? given.error : undefined,
    durationMs: number(given.duration_ms),
    turns: number(given.turns),
    cached: given.cached === true ? true : undefined,
    model: typeof given.model === "string" ? given.model : undefined,
    usage: Array.isArray(given.usage) ? given.usage.filter(isMembers) : undefined,
  };
}
