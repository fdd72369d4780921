/**
 * Converts runs and results to the file format, for `check`, JSONL export and the team sink.
 *
 * - `toFileRun(run)`, `toFileResult(result)` leave out empty members; reading them back gives the same.
 */
import { inputShaOf } from "./normalise.ts";
import type { EvalFailure, EvalResult, EvalRun, ModelUsage } from "./result.ts";

type Members = Readonly<Record<string, unknown>>;

export function toFileRun(run: EvalRun): Members {
  return withExtra(run.extra, {
    schema_version: 1,
    suite: run.suite,
    run_id: run.runId,
    label: run.label,
    timestamp: run.at,
    git_sha: run.gitSha,
    git_branch: run.gitBranch,
    prompt_sha: run.promptSha,
    model: run.model,
    provider: run.provider ?? null,
    variant: run.variant ?? null,
    matrix: run.matrix ?? null,
    host: run.host,
    source: run.source,
    tier: run.tier,
    judges: run.judges.map(({ model, rubricSha, threshold, extra }) =>
      withExtra(extra, { model, rubric_sha: rubricSha, threshold }),
    ),
    ...run.totals,
    duration_seconds: run.durationMs === null ? null : run.durationMs / 1000,
    costs: run.costs.map(toFileUsage),
  });
}

export function toFileResult(result: EvalResult): Members {
  const { unscored, ...extra } = result.extra as { unscored?: readonly string[] };
  return withExtra(extra, {
    name: result.name,
    category: result.category,
    tags: result.tags,
    passed: result.status === "skipped" || result.status === "error" ? null : result.status === "pass",
    status: result.status,
    repeat: result.repeat,
    input: result.input,
    input_sha: result.inputSha === inputShaOf(result.input) ? null : result.inputSha,
    expectations_sha: result.expectationsSha,
    output: result.output,
    response_preview: result.responsePreview,
    error: result.error,
    failures: result.failures.map(toFileFailure),
    judge_scores: { ...result.scores, ...Object.fromEntries((unscored ?? []).map((criterion) => [criterion, null])) },
    duration_ms: result.durationMs,
    turns: result.turns,
    cached: result.cached || null,
    usage: result.usage.map(toFileUsage),
    comparison: result.comparison,
  });
}

function toFileFailure(failure: EvalFailure): Members {
  return withExtra(failure.extra, {
    type: failure.type,
    expectation_type: failure.expectationType,
    message: failure.message,
    criterion: failure.criterion,
    expected: failure.expected,
    actual: failure.actual,
    details: failure.details,
    scores: failure.scores,
  });
}

function toFileUsage(usage: ModelUsage): Members {
  const hasCache = usage.cacheReadTokens + usage.cacheWriteTokens > 0;
  return withExtra(usage.extra, {
    model: usage.model,
    calls: usage.calls,
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_tokens: usage.cacheReadTokens || null,
    cache_write_tokens: usage.cacheWriteTokens || null,
    input_includes_cache: hasCache ? false : null,
    cost_usd: usage.costUsd,
  });
}

/** Leaves out our own empty members; members from the file stay as they are. */
function withExtra(extra: Members | undefined, members: Members): Members {
  const filled = Object.entries(members).filter(([, value]) => {
    if (value === null || value === undefined) return false;
    if (Array.isArray(value)) return value.length > 0;
    return typeof value !== "object" || Object.keys(value).length > 0;
  });
  return { ...extra, ...Object.fromEntries(filled) };
}
