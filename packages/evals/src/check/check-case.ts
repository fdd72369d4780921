/**
 * Checks one case against its outputs.
 *
 * - `checkCase(case, outputs, { repeat, judge })` the result. A failed expectation makes it FAIL; otherwise, a check that could
 *   not run makes it ERROR.
 */
import { DevflowError } from "@devflow/core/errors";
import { isAssertionType } from "../assertions/index.ts";
import type { EvalCase } from "../cases/index.ts";
import {
  checkExpectation,
  type Expectation,
  expectationType,
  type Outcome,
  questionFor,
  textKeys,
} from "../expectations/index.ts";
import type { Judge, JudgedExpectation } from "../judges/index.ts";
import { usageSchema } from "../results/format.ts";
import { toUsage } from "../results/normalise.ts";
import type { ModelUsage } from "../results/result.ts";
import type { AssertionChecks } from "./assertion-checks.ts";
import { type CaseOutput, type CaseOutputs, isMembers } from "./case-output.ts";
import { compareSides } from "./compare-sides.ts";
import type { FailureRecord, JudgeRecord, ResultRecord, UsageRecord } from "./result-record.ts";

export interface CheckedOutput {
  readonly output: CaseOutput;
  readonly failures: readonly FailureRecord[];
  readonly errors: ResultRecord["check_errors"];
  readonly scores: Readonly<Record<string, number>>;
  readonly thresholds: Readonly<Record<string, number>>;
  readonly votes: readonly unknown[];
  readonly judges: readonly JudgeRecord[];
  readonly usage: readonly UsageRecord[];
  /** The share of expectations that passed. */
  readonly share: number;
}

export interface CheckCaseOptions {
  readonly repeat: number;
  readonly judge?: Judge | undefined;
  /** For promptfoo's assertion types; without it, they are errors. */
  readonly assertions?: AssertionChecks | undefined;
}

export async function checkCase(
  given: EvalCase,
  outputs: CaseOutputs,
  options: CheckCaseOptions,
): Promise<ResultRecord> {
  switch (outputs.kind) {
    case "one": {
      const checked = await checkOutput(given, outputs.one, options);
      const lack = given.comparison ? "this is an A/B case, but its output has no control and treatment" : undefined;
      return resultOf(given, checked, options.repeat, { comparison: null, extraError: lack });
    }
    case "ab": {
      const control = await checkOutput(given, outputs.control, options);
      const treatment = await checkOutput(given, outputs.treatment, options);
      const { comparison, failures, error } = compareSides(given, control, treatment);
      const both = {
        ...treatment,
        failures: [...treatment.failures, ...failures],
        usage: [...control.usage, ...treatment.usage],
      };
      return resultOf(given, both, options.repeat, { comparison, extraError: error });
    }
    case "chain": {
      const steps: CheckedOutput[] = [];
      for (const one of outputs.steps) steps.push(await checkOutput(given, one, options));
      const last = steps.at(-1);
      const missing = (given.tierChain?.length ?? 0) - steps.length;
      if (!last) return failedResult(given, options.repeat, "the tier chain gave no output");
      const comparison = {
        type: "tier_chain",
        steps: steps.map(({ scores, share, errors }, index) => ({
          tier: given.tierChain?.[index]?.tier ?? null,
          model: given.tierChain?.[index]?.model ?? null,
          scores,
          expectations_passed: share,
          errors: errors.length,
          duration_ms: outputs.steps[index]?.durationMs ?? null,
        })),
      };
      const usage = steps.flatMap((step) => step.usage);
      const extraError =
        missing > 0 && !last.output.error ? `${missing} step(s) of the tier chain have no output` : undefined;
      return resultOf(given, { ...last, usage }, options.repeat, { comparison, extraError });
    }
  }
}

/** The result of a case that was not checked. */
export function failedResult(
  given: EvalCase,
  repeat: number,
  problem: string,
  durationMs: number | null = null,
): ResultRecord {
  const nothing = { failures: [], errors: [], scores: {}, thresholds: {}, votes: [], judges: [], usage: [], share: 0 };
  const output = { output: null, ...(durationMs === null ? {} : { durationMs }) };
  return resultOf(given, { ...nothing, output }, repeat, { comparison: null, extraError: problem });
}

async function checkOutput(
  given: EvalCase,
  output: CaseOutput,
  { judge, assertions }: CheckCaseOptions,
): Promise<CheckedOutput> {
  const failures: FailureRecord[] = [];
  const errors: { expectation_type: string; message: string }[] = [];
  const scores: Record<string, number> = {};
  const thresholds: Record<string, number> = {};
  const votes: unknown[] = [];
  const judges = new Map<string, JudgeRecord>();
  const usage: UsageRecord[] = (output.usage ?? []).map(reportedUsage);
  let passed = 0;
  // The app reported an error, so its output is neither checked nor judged.
  for (const expectation of output.error === undefined ? given.expectations : []) {
    const judged = await askJudge(expectation, output.output, given, judge);
    const outcome =
      assertions && isAssertionType(expectation.type)
        ? await assertions.check(expectation, output, given)
        : judged && "outcome" in judged
          ? judged.outcome
          : checkExpectation(expectation, output.output, given, judged?.judged);
    if (judged && "judged" in judged) {
      keepScores(scores, thresholds, judged.judged, profileOf(expectation));
      votes.push(
        ...judged.judged.votes.map((vote) => ({
          expectation_type: expectation.type,
          profile: profileOf(expectation),
          ...vote,
        })),
      );
      usage.push(...judged.judged.usage.map(usageRecord));
      for (const { model, rubricSha, threshold } of judged.judged.identities) {
        judges.set(`${model} ${rubricSha} ${threshold}`, { model, rubric_sha: rubricSha, threshold });
      }
    }
    if (outcome.status === "pass") passed += 1;
    else if (outcome.status === "fail") failures.push(failureOf(expectation.type, outcome));
    else errors.push({ expectation_type: expectation.type, message: outcome.message });
  }
  const share = given.expectations.length > 0 ? passed / given.expectations.length : 0;
  return { output, failures, errors, scores, thresholds, votes, judges: [...judges.values()], usage, share };
}

async function askJudge(
  expectation: Expectation,
  output: unknown,
  given: EvalCase,
  judge: Judge | undefined,
): Promise<{ readonly outcome: Outcome } | { readonly judged: JudgedExpectation } | undefined> {
  const asked = judge && questionFor(expectation, output, given, judge.profileNames);
  if (!asked || "outcome" in asked) return asked;
  return { judged: await judge.ask(asked.question, output, given) };
}

const profileOf = ({ judge_profile }: Expectation): string =>
  typeof judge_profile === "string" ? judge_profile : "default";

/** Two expectations may score the same criterion with different rubrics; both scores are kept. */
function keepScores(
  scores: Record<string, number>,
  thresholds: Record<string, number>,
  judged: JudgedExpectation,
  profile: string,
): void {
  for (const [name, score] of Object.entries(judged.scores)) {
    const free = [name, `${name}@${profile}`].find((key) => !Object.hasOwn(scores, key));
    let key = free ?? `${name}@${profile}#2`;
    for (let count = 3; Object.hasOwn(scores, key); count += 1) key = `${name}@${profile}#${count}`;
    scores[key] = score;
    const threshold = judged.thresholds[name];
    if (threshold !== undefined) thresholds[key] = threshold;
  }
}

function failureOf(type: string, outcome: Outcome): FailureRecord {
  const isJudged = expectationType(type)?.judged === true;
  const details = outcome.details as { below?: { criterion: string }[]; scores?: Record<string, number> } | undefined;
  return {
    type: isJudged && details?.below ? "threshold" : "deterministic",
    expectation_type: type,
    message: outcome.message,
    criterion: isJudged ? (outcome.place?.replace(/^criterion /, "") ?? null) : null,
    expected: outcome.expected,
    actual: outcome.actual,
    place: outcome.place ?? null,
    details: isJudged ? (details?.below ?? null) : (outcome.details ?? null),
    scores: isJudged ? (details?.scores ?? null) : null,
  };
}

const previewLength = 500;

function resultOf(
  given: EvalCase,
  { output, failures, errors, scores, thresholds, votes, judges, usage }: CheckedOutput,
  repeat: number,
  { comparison, extraError }: { comparison: unknown; extraError?: string | undefined },
): ResultRecord {
  const problems = [
    output.error,
    extraError,
    ...errors.map(({ expectation_type, message }) => `${expectation_type}: ${message}`),
  ];
  const told = problems.filter((one) => one !== undefined);
  const status = failures.length > 0 ? "fail" : told.length > 0 ? "error" : "pass";
  return {
    name: given.name,
    category: given.category ?? null,
    tags: given.tags,
    repeat,
    status,
    passed: status === "pass",
    error: told.length > 0 ? told.join("\n") : null,
    duration_ms: output.durationMs ?? null,
    input: given.input,
    input_sha: given.inputSha,
    expectations_sha: given.expectationsSha,
    output: output.output ?? null,
    response_preview: previewOf(output.output),
    failures,
    check_errors: errors,
    judge_scores: scores,
    judge_thresholds: thresholds,
    judge_votes: votes,
    judged_expectations: given.expectations.filter(({ type }) => expectationType(type)?.judged === true),
    judges,
    turns: output.turns ?? null,
    cached: output.cached ?? false,
    usage,
    comparison,
  };
}

function previewOf(output: unknown): string | null {
  const found = isMembers(output)
    ? textKeys.map((key) => output[key]).find((value) => typeof value === "string")
    : output;
  return typeof found === "string" ? found.slice(0, previewLength).toWellFormed() : null;
}

function usageRecord(usage: ModelUsage): UsageRecord {
  const { model, calls, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd } = usage;
  return {
    model,
    calls,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cache_read_tokens: cacheReadTokens,
    cache_write_tokens: cacheWriteTokens,
    cost_usd: costUsd,
    ...(cacheReadTokens + cacheWriteTokens > 0 ? { input_includes_cache: false } : {}),
  };
}

/** Normalises usage reported by the app; invalid usage is kept, without a price. */
function reportedUsage(given: Readonly<Record<string, unknown>>): UsageRecord {
  const parsed = usageSchema.safeParse(given);
  if (parsed.success) return usageRecord(toUsage(parsed.data));
  const model = typeof given.model === "string" && given.model !== "" ? given.model : "unknown";
  const none = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return usageRecord({ model, calls: 1, ...none, costUsd: null });
}

/** The error of a case whose check broke. */
export function brokenCheck(error: unknown): string {
  const words = error instanceof DevflowError || error instanceof Error ? error.message : String(error);
  return `the check broke: ${words}`;
}
