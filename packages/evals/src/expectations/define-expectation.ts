/**
 * Defines an expectation type: its parameters, what it reads, when it passes. Its examples, which serve as tests and as
 * documentation, are in `testing/expectation-examples`.
 *
 * - `defineExpectation(record)` keeps the parameters' type inside the record.
 * - `bounds(…)` the parameters of a range; refused at load if the lower bound is above the upper one.
 */
import { z } from "zod";
import type { Verdict } from "./outcome.ts";
import type { CheckedCase, OutputReader } from "./output-reader.ts";

/** The judges' scores for one expectation, aggregated per criterion, 0 to 1. */
export interface Judgement {
  readonly scores: Readonly<Record<string, number>>;
  readonly thresholds: Readonly<Record<string, number>>;
  readonly weights?: Readonly<Record<string, number>>;
  /** Why there are no scores. */
  readonly error?: string;
  /** What the judges should have read and the output lacks: FAIL. */
  readonly lacks?: string;
  readonly details?: unknown;
}

/** What judges are asked: profile, criteria and text. */
export interface JudgeQuestion {
  readonly profile: string;
  /** Thresholds from the case file; null: the profile's threshold; empty: the profile's criteria. */
  readonly criteria: Readonly<Record<string, number | null>>;
  /** The threshold of criteria that have none here or in the profile. */
  readonly threshold: number;
  /** Descriptions of criteria from the case file. */
  readonly descriptions?: Readonly<Record<string, string>>;
  /** What is judged, if the profile does not define it. */
  readonly content?: { readonly title: string; readonly text: string };
}

interface Parts<P> {
  readonly type: string;
  readonly category: string;
  readonly reads: string;
  readonly passes: string;
  readonly notes?: string;
  readonly parameters: z.ZodType<P>;
  /** Checks at load that a missing parameter is supplied by the case. */
  readonly needs?: (parameters: P, input: Readonly<Record<string, unknown>>) => string | undefined;
}

interface Deterministic<P> extends Parts<P> {
  check(parameters: P, output: OutputReader, given: CheckedCase): Verdict;
}

interface Judged<P> extends Parts<P> {
  readonly judged: true;
  /** Throws a `Stop` if no judge needs to be asked. */
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
export const wholeCount = z.int("expected a whole number").min(0, "a count cannot be negative");

/** A strict object with a lower and an upper bound, at least one of them given and in the right order. */
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

/** Checks that the value is within the bounds. */
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
