/**
 * The table of all expectation types.
 *
 * - `checkExpectation(expectation, output, case, judgement)` never throws: a failed check is an ERROR.
 * - `questionFor(expectation, output, case, profiles)` what to ask a judge, or the outcome if no judge is needed.
 * - `parseExpectation(given)` the parameters with their defaults, or zod's issues.
 */

import { nearest } from "@devflow/core/nearest";
import { z } from "zod";
import { assertionTypes, isAssertionType } from "../assertions/index.ts";
import { assertionParameters } from "./assertion-parameters.ts";
import type { ExpectationType, Judgement, JudgeQuestion } from "./define-expectation.ts";
import { failing, impossible, type Outcome, outcomeOf, Stop } from "./outcome.ts";
import { type CheckedCase, type Members, readOutput } from "./output-reader.ts";
import { chunks } from "./types/chunks.ts";
import { classification } from "./types/classification.ts";
import { factCheck } from "./types/fact-check.ts";
import { fields } from "./types/fields.ts";
import { grouping } from "./types/grouping.ts";
import { judged } from "./types/judged.ts";
import { length } from "./types/length.ts";
import { media } from "./types/media.ts";
import { memory } from "./types/memory.ts";
import { research } from "./types/research.ts";
import { scoring } from "./types/scoring.ts";
import { sourceAudit } from "./types/source-audit.ts";
import { structure } from "./types/structure.ts";
import { textMatching } from "./types/text-matching.ts";
import { threads } from "./types/threads.ts";
import { toolCalls } from "./types/tool-calls.ts";

export const expectationTypes: readonly ExpectationType[] = [
  ...toolCalls,
  ...textMatching,
  ...length,
  ...structure,
  ...scoring,
  ...classification,
  ...fields,
  ...memory,
  ...grouping,
  ...chunks,
  ...threads,
  ...factCheck,
  ...media,
  ...research,
  ...sourceAudit,
  ...judged,
];

const byName: ReadonlyMap<string, ExpectationType> = new Map(expectationTypes.map((one) => [one.type, one]));

/** As in a case file: the type and its parameters. */
export interface Expectation {
  readonly type: string;
  readonly [parameter: string]: unknown;
}

export function expectationType(name: string): ExpectationType | undefined {
  return byName.get(name);
}

/** The message for an unknown type. */
export function unknownType(name: string): string {
  const negation = name.startsWith("not-") ? "not-" : "";
  const meant = nearest(name, [...byName.keys(), ...assertionTypes.map((type) => negation + type)]);
  return `unknown expectation "${name}"${meant ? `; did you mean ${meant}?` : "; see docs/expectations.md"}`;
}

export function parseExpectation({ type, ...given }: Expectation): z.ZodSafeParseResult<unknown> | undefined {
  if (isAssertionType(type)) return assertionParameters(type).safeParse(given);
  return byName.get(type)?.parameters.safeParse(given);
}

export function checkExpectation(
  expectation: Expectation,
  output: unknown,
  given: CheckedCase,
  judgement?: Judgement,
): Outcome {
  return guarded(() => {
    const { type, parameters } = usable(expectation, given);
    const reader = readOutput(output);
    if (type.check) return outcomeOf(type.check(parameters, reader, given));
    type.question?.(parameters, reader, given, []);
    return judgedOutcome(judgement);
  });
}

export function questionFor(
  expectation: Expectation,
  output: unknown,
  given: CheckedCase,
  profiles: readonly string[],
): { readonly question: JudgeQuestion } | { readonly outcome: Outcome } | undefined {
  if (!byName.get(expectation.type)?.judged) return undefined;
  let question: JudgeQuestion | undefined;
  const outcome = guarded(() => {
    const { type, parameters } = usable(expectation, given);
    question = type.question?.(parameters, readOutput(output), given, profiles);
    return judgedOutcome(undefined);
  });
  return question ? { question } : { outcome };
}

function usable(expectation: Expectation, given: CheckedCase): { type: ExpectationType; parameters: never } {
  const type = byName.get(expectation.type);
  if (!type) throw impossible(unknownType(expectation.type));
  const parsed = parseExpectation(expectation);
  if (parsed?.success) {
    const parameters = parsed.data as never;
    const lack = type.needs?.(parameters, { ...given.input, severity_order: given.severityOrder });
    if (lack) throw impossible(`${expectation.type} cannot be checked: ${lack}`);
    return { type, parameters };
  }
  throw impossible(
    `${expectation.type} cannot be checked: ${parsed?.error ? z.prettifyError(parsed.error) : "unknown"}`,
  );
}

/** Turns anything thrown into an outcome; no check, negated or not, treats an error as a pass. */
function guarded(check: () => Outcome): Outcome {
  try {
    return check();
  } catch (error) {
    if (error instanceof Stop) return error.outcome;
    const message = error instanceof Error ? error.message : String(error);
    return { status: "error", message: `the check broke: ${message}`, expected: null, actual: null };
  }
}

function judgedOutcome(judgement: Judgement | undefined): Outcome {
  if (!judgement) throw impossible("no judge was called: run with --judge");
  const { scores, thresholds, weights, error, lacks, details } = judgement;
  if (lacks !== undefined)
    throw failing(`output has no ${lacks} to judge`, { expected: lacks, actual: null, place: "output" });
  if (error !== undefined) throw impossible(error, { details: details ?? { scores } });
  const criteria = Object.entries(thresholds).map(([criterion, least]) => ({
    criterion,
    score: Object.hasOwn(scores, criterion) ? scores[criterion] : undefined,
    threshold: least,
  }));
  const lacking = criteria.find(({ score }) => typeof score !== "number" || !(score >= 0 && score <= 1));
  if (lacking || criteria.length === 0) {
    throw impossible(
      lacking ? `the judge gave ${lacking.criterion} no score between 0 and 1` : "there are no criteria to judge",
      { details: { scores } },
    );
  }
  const below = criteria.filter(({ score, threshold }) => (score ?? 0) < threshold);
  const worst = below.toSorted((a, b) => (a.score ?? 0) - a.threshold - ((b.score ?? 0) - b.threshold))[0];
  const named = below
    .map(({ criterion, score, threshold }) => `${criterion} ${round(score)} < ${threshold}`)
    .join(", ");
  return outcomeOf({
    passed: worst === undefined,
    message: worst
      ? `${below.length} of ${criteria.length} criteria below their threshold: ${named}`
      : `${criteria.length} criteria at or above their thresholds`,
    expected: worst ? worst.threshold : thresholds,
    actual: worst ? (worst.score ?? null) : scores,
    place: worst ? `criterion ${worst.criterion}` : undefined,
    score: weightedMean(scores, thresholds, weights ?? {}),
    details: { criteria, below, scores, ...(isMembers(details) ? details : {}) },
  });
}

function weightedMean(
  scores: Judgement["scores"],
  thresholds: Judgement["thresholds"],
  weights: Readonly<Record<string, number>>,
): number {
  const names = Object.keys(thresholds);
  const own = (values: Readonly<Record<string, number>>, name: string) =>
    Object.hasOwn(values, name) ? values[name] : undefined;
  const total = names.reduce((sum, name) => sum + (own(weights, name) ?? 1), 0);
  const sum = names.reduce((all, name) => all + (own(scores, name) ?? 0) * (own(weights, name) ?? 1), 0);
  return total > 0 ? sum / total : sum / names.length;
}

const round = (score: number | undefined): number => Number((score ?? 0).toFixed(4));
const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);
