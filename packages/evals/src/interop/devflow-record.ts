/** A run and its results as the records of our own file format (schema_version 1), and back: nothing is lost either way. */
import type { EvalFailure, EvalResult, EvalRun, JudgeIdentity, ModelUsage, ResultStatus } from "../results/result.ts";
import { evalTiers, resultStatuses } from "../results/result.ts";
import { count, type Fields, fields, list, number, numbers, shaOf, text, texts } from "./fields.ts";

export function runRecord(run: EvalRun): Record<string, unknown> {
  const { total, passed, failed, errors, skipped } = run.totals;
  return {
    ...run.extra,
    schema_version: 1,
    run_id: run.runId,
    suite: run.suite,
    label: run.label,
    tier: run.tier,
    timestamp: run.at,
    git_sha: run.gitSha,
    git_branch: run.gitBranch,
    prompt_sha: run.promptSha,
    model: run.model,
    host: run.host,
    source: run.source,
    judges: run.judges.map(({ model, rubricSha, threshold }) => ({ model, rubric_sha: rubricSha, threshold })),
    duration_seconds: run.durationMs === null ? null : run.durationMs / 1000,
    ...{ total, passed, failed, errors, skipped },
    costs: run.costs.map(usageRecord),
  };
}

export function resultRecord(result: EvalResult): Record<string, unknown> {
  return {
    ...result.extra,
    name: result.name,
    category: result.category,
    tags: result.tags,
    status: result.status,
    passed: result.status === "pass",
    repeat: result.repeat,
    input: result.input,
    input_sha: result.inputSha,
    expectations_sha: result.expectationsSha,
    output: result.output,
    response_preview: result.responsePreview,
    error: result.error,
    failures: result.failures.map(failureRecord),
    judge_scores: result.scores,
    duration_ms: result.durationMs,
    turns: result.turns,
    cached: result.cached,
    usage: result.usage.map(usageRecord),
    comparison: result.comparison,
  };
}

function failureRecord(failure: EvalFailure): Record<string, unknown> {
  const { expectationType, ...rest } = failure;
  return { ...rest, expectation_type: expectationType };
}

function usageRecord(usage: ModelUsage): Record<string, unknown> {
  return {
    model: usage.model,
    calls: usage.calls,
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    input_includes_cache: false,
    cost_usd: usage.costUsd,
  };
}

const runMembers = new Set([
  ...[
    "schema_version",
    "run_id",
    "suite",
    "label",
    "tier",
    "timestamp",
    "git_sha",
    "git_branch",
    "prompt_sha",
    "model",
    "host",
  ],
  ...[
    "hostname",
    "source",
    "judges",
    "duration_seconds",
    "total",
    "passed",
    "failed",
    "errors",
    "skipped",
    "costs",
    "by_category",
  ],
  ...["results", "all_results"],
]);

const resultMembers = new Set([
  ...[
    "name",
    "category",
    "tags",
    "status",
    "passed",
    "repeat",
    "input",
    "input_sha",
    "expectations_sha",
    "output",
    "response_preview",
  ],
  ...["error", "failures", "judge_scores", "duration_ms", "turns", "cached", "usage", "comparison"],
]);

/** What the record says; what it does not say is left for the caller to fill. */
export function runFromRecord(record: Fields): Partial<EvalRun> {
  const seconds = number(record.duration_seconds);
  const tier = evalTiers.find((known) => known === record.tier);
  return {
    ...(text(record.run_id) === null ? {} : { runId: text(record.run_id)! }),
    ...(text(record.suite) === null ? {} : { suite: text(record.suite)! }),
    ...(text(record.label) === null ? {} : { label: text(record.label)! }),
    ...(tier === undefined ? {} : { tier }),
    ...(text(record.timestamp) === null ? {} : { at: text(record.timestamp)! }),
    gitSha: text(record.git_sha),
    gitBranch: text(record.git_branch),
    promptSha: text(record.prompt_sha),
    model: text(record.model),
    host: text(record.host) ?? text(record.hostname),
    source: text(record.source) ?? "devflow",
    judges: list(record.judges).map(judgeFrom),
    durationMs: seconds === null ? null : Math.round(seconds * 1e6) / 1000,
    costs: list(record.costs).map(usageFrom),
    extra: others(record, runMembers),
  };
}

export function statusFromRecord(record: Fields): ResultStatus | null {
  const status = resultStatuses.find((known) => known === record.status);
  if (status !== undefined) return status;
  if (record.status !== undefined && record.status !== null) return null;
  if (text(record.error) !== null) return "error";
  return typeof record.passed === "boolean" ? (record.passed ? "pass" : "fail") : null;
}

export function resultFromRecord(record: Fields, status: ResultStatus, repeat: number): EvalResult {
  return {
    name: text(record.name)!,
    category: text(record.category),
    tags: texts(record.tags),
    status,
    repeat,
    inputSha: text(record.input_sha) ?? shaOf(record.input),
    input: record.input ?? null,
    expectationsSha: text(record.expectations_sha),
    output: record.output ?? null,
    responsePreview: typeof record.response_preview === "string" ? record.response_preview : null,
    error: text(record.error),
    failures: list(record.failures).map(failureFrom),
    scores: numbers(record.judge_scores),
    durationMs: number(record.duration_ms),
    turns: number(record.turns),
    cached: record.cached === true,
    usage: list(record.usage).map(usageFrom),
    comparison: record.comparison ?? null,
    extra: others(record, resultMembers),
  };
}

function failureFrom(given: unknown): EvalFailure {
  if (typeof given === "string") return failureFrom({ message: given });
  const failure = fields(given);
  const criterion = text(failure.criterion);
  return {
    type:
      failure.type === "threshold" || (failure.type !== "deterministic" && criterion !== null)
        ? "threshold"
        : "deterministic",
    expectationType: text(failure.expectation_type),
    message: typeof failure.message === "string" ? failure.message : "failed",
    criterion,
    expected: failure.expected ?? null,
    actual: failure.actual ?? null,
    details: failure.details ?? null,
    scores: failure.scores === undefined || failure.scores === null ? null : numbers(failure.scores),
  };
}

function judgeFrom(given: unknown): JudgeIdentity {
  const judge = fields(given);
  return {
    model: text(judge.model) ?? "unknown",
    rubricSha: text(judge.rubric_sha),
    threshold: number(judge.threshold),
  };
}

function usageFrom(given: unknown): ModelUsage {
  const usage = fields(given);
  return {
    model: text(usage.model) ?? "unknown",
    calls: number(usage.calls) ?? 1,
    inputTokens: count(usage.input_tokens),
    outputTokens: count(usage.output_tokens),
    cacheReadTokens: count(usage.cache_read_tokens),
    cacheWriteTokens: count(usage.cache_write_tokens),
    costUsd: number(usage.cost_usd),
  };
}

function others(record: Fields, known: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([member]) => !known.has(member)));
}
