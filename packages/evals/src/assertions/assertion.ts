/**
 * Assertions: the requirements of promptfoo suites, which Devflow's cases can use too.
 *
 * - `Assertion` as written in a suite; `AssertionInput` what it is checked against; `Grade` the result.
 * - An assertion that cannot be checked throws: the result is an ERROR, also under `not-`.
 */
import type { CodePool } from "../code/index.ts";
import type { Provider } from "../providers/provider.ts";
import type { Vars } from "../template/index.ts";

export interface Assertion {
  readonly type: string;
  readonly value?: unknown;
  readonly threshold?: number | undefined;
  readonly weight?: number | undefined;
  readonly metric?: string | undefined;
  readonly transform?: string | undefined;
  readonly contextTransform?: string | undefined;
  readonly provider?: unknown;
  readonly rubricPrompt?: unknown;
  readonly config?: Readonly<Record<string, unknown>> | undefined;
  /** Of an `assert-set`. */
  readonly assert?: readonly Assertion[] | undefined;
  readonly [parameter: string]: unknown;
}

/** What a provider said besides its output. */
export interface AnsweredWith {
  readonly cost?: number | undefined;
  readonly latencyMs?: number | undefined;
  readonly logProbs?: readonly number[] | undefined;
  readonly finishReason?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly guardrails?: Readonly<Record<string, unknown>> | undefined;
  readonly trace?: Trace | undefined;
  /** The provider's own settings: its tools and functions. */
  readonly providerConfig?: Readonly<Record<string, unknown>> | undefined;
  /** Before the test's own transform. */
  readonly untransformed?: unknown;
}

export interface Trace {
  readonly traceId?: string;
  readonly spans: readonly TraceSpan[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface TraceSpan {
  readonly spanId?: string;
  readonly name: string;
  readonly startTime: number;
  readonly endTime?: number;
  readonly statusCode?: number;
  readonly statusMessage?: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
}

export interface AssertionInput {
  readonly output: unknown;
  readonly answered: AnsweredWith;
  /** As it was sent. */
  readonly prompt: string | undefined;
  readonly vars: Vars;
  /** The test as code sees it in `context.test`. */
  readonly test: Readonly<Record<string, unknown>>;
  /** `rubricPrompt`, `factuality` and others, from the options of the test. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** Embeds, classifies or moderates text. */
export interface Models {
  /** The judge of an assertion: its own, the test's, or the configured one; undefined if there is none. */
  judge(assertion: Assertion, options: AssertionInput["options"]): Promise<Provider | undefined>;
  embed(assertion: Assertion, options: AssertionInput["options"]): Promise<Embedding | undefined>;
  classify(assertion: Assertion, options: AssertionInput["options"]): Promise<TextCall | undefined>;
  moderate(assertion: Assertion, options: AssertionInput["options"]): Promise<TextCall | undefined>;
}

export type Embedding = (text: string) => Promise<readonly number[]>;
export type TextCall = (...texts: readonly string[]) => Promise<Readonly<Record<string, unknown>>>;

/** What checks may use. */
export interface AssertionTools {
  /** The folder that `file://` is relative to. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly code: CodePool;
  readonly models: Models;
  readonly signal: AbortSignal;
  readonly fetch?: typeof fetch;
}

export interface Grade {
  readonly pass: boolean;
  readonly score: number;
  readonly reason: string;
  readonly namedScores?: Readonly<Record<string, number>>;
  readonly namedScoreWeights?: Readonly<Record<string, number>>;
  readonly componentResults?: readonly Grade[];
  readonly assertion?: Assertion | undefined;
  /** `graderError`: a judge did not answer, which no negation turns into a pass. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** What the judge was asked, for its cost. */
  readonly usage?: readonly JudgeUsage[];
}

export interface JudgeUsage {
  readonly model: string;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly costUsd: number | null;
}

/** An assertion with everything that its check reads, rendered. */
export interface Check extends AssertionInput {
  readonly assertion: Assertion;
  /** Without `not-`. */
  readonly baseType: string;
  readonly isNegated: boolean;
  /** The value with its variables filled in, or what the script that it names returned. */
  readonly value: unknown;
  /** Set if a script gave the value. */
  readonly scripted: { readonly value: unknown } | undefined;
  /** The output as text; JSON if it is not a string. */
  readonly text: string;
  readonly tools: AssertionTools;
}

export type Checker = (check: Check) => Grade | Promise<Grade>;

/** The assertion, or the output, lacks what the check needs: ERROR. */
export class CannotCheck extends Error {
  override readonly name = "CannotCheck";
}

export function need(condition: unknown, problem: string): asserts condition {
  if (!condition) throw new CannotCheck(problem);
}

/** A grade of 1 or 0. */
export function yesOrNo(holds: boolean, { isNegated }: Pick<Check, "isNegated">, problem: string): Grade {
  const pass = holds !== isNegated;
  return { pass, score: pass ? 1 : 0, reason: pass ? "passed" : problem };
}

/** A grade with a score that has to reach a threshold; `not-` reverses both. */
export function scored(score: number, threshold: number, { isNegated }: Pick<Check, "isNegated">, what: string): Grade {
  const reaches = score >= threshold;
  const reason = `${what} ${round(score)} is ${reaches ? "at least" : "below"} ${threshold}`;
  return { pass: reaches !== isNegated, score: isNegated ? 1 - score : score, reason };
}

export const round = (value: number): number => Number(value.toFixed(4));
export const isMembers = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
