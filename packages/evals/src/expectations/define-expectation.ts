/**
 * One expectation type: what a case file may say, what it reads, when it passes. Its examples, which are its tests and its
 * documentation, are in `testing/expectation-examples`.
 *
 * - `defineExpectation(record)` keeps the parameters' type inside the record.
 * - `bounds(…)` the parameters of a range, refused at load when they are upside down.
 */
import { z } from "zod";
import type { Verdict } from "./outcome.ts";
import type { CheckedCase, OutputReader } from "./output-reader.ts";

/** What the judges of one expectation said, aggregated to 0 to 1 per criterion. */
export interface Judgement {
  readonly scores: Readonly<Record<string, number>>;
  readonly thresholds: Readonly<Record<string, number>>;
  readonly weights?: Readonly<Record<string, number>>;
  /** Why there are no scores. */
  readonly error?: string;
  /** What the output has not, and the judges would have had to read: FAIL. */
  readonly lacks?: string;
  readonly details?: unknown;
}

/** What judges are asked: which profile, which criteria, over what text. */
export interface JudgeQuestion {
  readonly profile: string;
  /** Thresholds of the case file; null leaves it to the profile. Empty takes the profile's criteria. */
  readonly criteria: Readonly<Record<string, number | null>>;
  /** The threshold of criteria that have none, here or in the profile. */
  readonly threshold: number;
  /** What a criterion means, where the case file says it. */
  readonly descriptions?: Readonly<Record<string, string>>;
  /** What is judged, when the profile does not decide it. */
  readonly content?: { readonly title: string; readonly text: string };
}

interface Parts<P> {
  readonly type: string;
  readonly category: string;
  readonly reads: string;
  readonly passes: string;
  readonly notes?: string;
  readonly parameters: z.ZodType<P>;
  /** A parameter whose absence is made up for by the case, checked at load. */
  readonly needs?: (parameters: P, input: Readonly<Record<string, unknown>>) => string | undefined;
}

interface Deterministic<P> extends Parts<P> {
  check(parameters: P, output: OutputReader, given: CheckedCase): Verdict;
}

interface Judged<P> extends Parts<P> {
  readonly judged: true;
  /** Throws a `Stop` where no judge has to be asked. */
  question(parameters: P, output: OutputReader, given: CheckedCase, profiles: readonly string[]): JudgeQuestion;
}

export interface ExpectationType extends Omit<Parts<never>, "parameters" | "needs"> {
  readonly parameters: z.ZodType;
  readonly needs?: (parameters: never, input: Readonly<Record<string, unknown>>) => string | undefined;
  readonly judged?: true;
  readonly check?: (parameters: never, output: OutputReader, given: CheckedCase) => Verdict;
  readonly question?: (
    parameters: never,
    output: OutputReader,
    given: CheckedCase,
    profiles: readonly string[],
  ) => JudgeQuestion;
}

export function defineExpectation<P>(record: Deterministic<P> | Judged<P>): ExpectationType {
  return record as unknown as ExpectationType;
}

export const noParameters = z.strictObject({});
export const wholeCount = z.int("expected a whole number").min(0, "a count is not negative");

/** A strict object whose lower bound may not be above its upper one; one of them has to be given. */
export function bounds<S extends Record<string, z.ZodType>>(
  shape: S,
  lower: keyof S & string,
  upper: keyof S & string,
  { required = true }: { required?: boolean } = {},
) {
  return z.strictObject(shape).superRefine((given, context) => {
    const [min, max] = [(given as Record<string, unknown>)[lower], (given as Record<string, unknown>)[upper]];
    if (typeof min === "number" && typeof max === "number" && min > max) {
      context.addIssue({ code: "custom", path: [lower], message: `${lower} ${min} is more than ${upper} ${max}` });
    }
    if (required && min === undefined && max === undefined) {
      context.addIssue({ code: "custom", message: `give ${lower}, ${upper} or both` });
    }
  });
}

/** Is it within? In words, with open ends left out. */
export function within(
  value: number,
  limits: { readonly min?: number | undefined; readonly max?: number | undefined },
  what: string,
  place: string,
): Verdict {
  const { min, max } = limits;
  const passed = (min === undefined || value >= min) && (max === undefined || value <= max);
  const range = min === undefined ? `at most ${max}` : max === undefined ? `at least ${min}` : `${min} to ${max}`;
  return {
    passed,
    message: `${place} has ${value} ${what}, expected ${range}`,
    expected: { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) },
    actual: value,
    place,
  };
}
