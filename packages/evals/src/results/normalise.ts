/**
 * Converts valid records of the file format to runs and results.
 *
 * - `toResult(record, repeat)`, `toRun(header, identity)`, `toUsage(record)`.
 * - `inputShaOf(input)` the hash of the input, which together with the name identifies the case.
 */
import { hash, hashBytes } from "@devflow/core/hash";
import {
  type FileResult,
  type FileRun,
  type FileUsage,
  knownFailureMembers,
  knownJudgeMembers,
  knownResultMembers,
  knownRunMembers,
  knownUsageMembers,
} from "./format.ts";
import type {
  EvalFailure,
  EvalResult,
  EvalRun,
  EvalTotals,
  JudgeIdentity,
  ModelUsage,
  ResultStatus,
} from "./result.ts";

export function toResult(record: FileResult): Omit<EvalResult, "repeat"> {
  const { scored, unscored } = splitScores(record.judge_scores ?? {});
  const extra = extraOf(record, knownResultMembers);
  return {
    name: record.name,
    category: record.category ?? null,
    tags: record.tags ?? [],
    status: statusOf(record),
    inputSha: record.input_sha ?? inputShaOf(record.input),
    input: record.input ?? null,
    expectationsSha: record.expectations_sha ?? null,
    output: record.output ?? null,
    responsePreview: record.response_preview ?? null,
    error: record.error ?? null,
    failures: (record.failures ?? []).map(toFailure),
    scores: scored,
    durationMs: record.duration_ms ?? null,
    turns: record.turns ?? null,
    cached: record.cached ?? false,
    usage: (record.usage ?? []).map(toUsage),
    comparison: record.comparison ?? null,
    extra: unscored.length > 0 ? { ...extra, unscored } : extra,
  };
}

export function statusOf(record: Pick<FileResult, "status" | "passed" | "error">): ResultStatus {
  if (record.status) return record.status;
  if (record.error) return "error";
  return record.passed ? "pass" : "fail";
}

/** Null if there is no input; the name alone then identifies the case. */
export function inputShaOf(input: unknown): string | null {
  if (input === undefined || input === null) return null;
  try {
    return hash(input);
  } catch {
    // A lone surrogate has no canonical form, but its escaped text has.
    return hashBytes(JSON.stringify(input));
  }
}

type FileFailure = Exclude<NonNullable<FileResult["failures"]>[number], string>;

function toFailure(failure: NonNullable<FileResult["failures"]>[number]): EvalFailure {
  const given = typeof failure === "string" ? ({ message: failure } as FileFailure) : failure;
  const extra = extraOf(given, knownFailureMembers);
  return {
    type: given.type ?? (given.criterion ? "threshold" : "deterministic"),
    expectationType: given.expectation_type ?? null,
    message: given.message ?? "",
    criterion: given.criterion ?? null,
    expected: given.expected ?? null,
    actual: given.actual ?? null,
    details: given.details ?? null,
    scores: given.scores ? splitScores(given.scores).scored : null,
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  };
}

/**
 * Providers disagree on whether input tokens include cache tokens: Anthropic excludes them, the others include them. If there
 * are more cache tokens than input tokens, they must be excluded.
 */
export function toUsage(record: FileUsage): ModelUsage {
  const input = record.input_tokens ?? 0;
  const cacheReadTokens = record.cache_read_tokens ?? 0;
  const cacheWriteTokens = record.cache_write_tokens ?? 0;
  const cache = cacheReadTokens + cacheWriteTokens;
  const isInside = cache <= input && (record.input_includes_cache ?? !/claude/i.test(record.model));
  const extra = extraOf(record, knownUsageMembers);
  return {
    model: record.model,
    calls: record.calls ?? 1,
    inputTokens: isInside ? input - cache : input,
    outputTokens: record.output_tokens ?? 0,
    cacheReadTokens,
    cacheWriteTokens,
    costUsd: record.cost_usd ?? null,
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  };
}

export interface RunIdentity
  extends Pick<EvalRun, "runId" | "suite" | "label" | "at" | "gitSha" | "gitBranch" | "host"> {}

export function toRun(header: FileRun, identity: RunIdentity): EvalRun {
  const { provider, variant, matrix, ...extra } = extraOf(header, knownRunMembers);
  const named = { provider, variant, matrix };
  return {
    ...identity,
    tier: header.tier ?? "standard",
    promptSha: header.prompt_sha ?? null,
    model: header.model ?? null,
    ...Object.fromEntries(Object.entries(named).filter(([, value]) => typeof value === "string")),
    judges: (header.judges ?? []).map(toJudge),
    durationMs: header.duration_seconds == null ? null : Math.round(header.duration_seconds * 1e6) / 1000,
    totals: claimedTotals(header),
    costs: (header.costs ?? []).map(toUsage),
    source: header.source || "devflow",
    extra,
  };
}

/** The totals from the file, before counting; 0 if absent. */
function claimedTotals(header: FileRun): EvalTotals {
  return {
    total: header.total ?? 0,
    passed: header.passed ?? 0,
    failed: header.failed ?? 0,
    errors: header.errors ?? 0,
    skipped: header.skipped ?? 0,
  };
}

function toJudge(judge: NonNullable<FileRun["judges"]>[number]): JudgeIdentity {
  const extra = extraOf(judge, knownJudgeMembers);
  return {
    model: judge.model,
    rubricSha: judge.rubric_sha ?? null,
    threshold: judge.threshold ?? null,
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  };
}

function splitScores(given: Readonly<Record<string, number | null>>) {
  const entries = Object.entries(given);
  const unscored = entries.filter(([, value]) => value === null).map(([criterion]) => criterion);
  if (unscored.length === 0) return { scored: given as Record<string, number>, unscored };
  return {
    scored: Object.fromEntries(entries.filter(([, value]) => value !== null)) as Record<string, number>,
    unscored,
  };
}

/** `Object.fromEntries` rather than assignment, so that a member named `__proto__` stays a member. */
function extraOf(record: object, known: ReadonlySet<string>): Readonly<Record<string, unknown>> {
  let isPlain = true;
  for (const member of Object.keys(record)) if (!known.has(member)) isPlain = false;
  if (isPlain) return {};
  return Object.fromEntries(Object.entries(record).filter(([member]) => !known.has(member)));
}
