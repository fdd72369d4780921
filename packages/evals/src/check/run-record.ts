/**
 * Builds a run record from its results: counts, costs and judges.
 *
 * - `runRecord(results, facts)`.
 */
import type { JudgeRecord, ResultRecord, RunRecord, UsageRecord } from "./result-record.ts";

export interface RecordFacts {
  readonly runId: string;
  readonly suite: string;
  readonly label: string;
  /** When the run started. */
  readonly at: number;
  readonly gitSha: string | null;
  readonly gitBranch: string | null;
  readonly promptSha: string | null;
  readonly host: string | null;
  readonly tier: string;
  readonly model: string | null;
  readonly durationMs: number;
}

export function runRecord(results: readonly ResultRecord[], facts: RecordFacts): RunRecord {
  const count = (status: ResultRecord["status"]) => results.filter((one) => one.status === status).length;
  return {
    schema_version: 1,
    run_id: facts.runId,
    suite: facts.suite,
    label: facts.label,
    timestamp: new Date(facts.at).toISOString(),
    git_sha: facts.gitSha,
    git_branch: facts.gitBranch,
    prompt_sha: facts.promptSha,
    host: facts.host,
    tier: facts.tier,
    model: facts.model,
    judges: distinct<JudgeRecord>(results.flatMap(({ judges }) => judges)),
    total: results.length,
    passed: count("pass"),
    failed: count("fail"),
    errors: count("error"),
    skipped: count("skipped"),
    duration_seconds: facts.durationMs / 1_000,
    by_category: byCategory(results),
    all_results: results,
    costs: sumUsage(results.flatMap(({ usage }) => usage)),
  };
}

function byCategory(results: readonly ResultRecord[]): RunRecord["by_category"] {
  const groups = Map.groupBy(results, ({ category }) => category ?? "uncategorised");
  return Object.fromEntries(
    [...groups].map(([name, some]) => [
      name,
      { passed: some.filter(({ passed }) => passed).length, total: some.length },
    ]),
  );
}

function sumUsage(usage: readonly UsageRecord[]): UsageRecord[] {
  return [...Map.groupBy(usage, ({ model }) => model)].map(([model, some]) => {
    const sum = (pick: (one: UsageRecord) => number) => some.reduce((all, one) => all + pick(one), 0);
    const hasCache = some.some((one) => one.cache_read_tokens + one.cache_write_tokens > 0);
    return {
      model,
      calls: sum(({ calls }) => calls),
      input_tokens: sum((one) => one.input_tokens),
      output_tokens: sum((one) => one.output_tokens),
      cache_read_tokens: sum((one) => one.cache_read_tokens),
      cache_write_tokens: sum((one) => one.cache_write_tokens),
      // A sum with an unknown part is unknown.
      cost_usd: some.every(({ cost_usd }) => cost_usd !== null) ? sum(({ cost_usd }) => cost_usd ?? 0) : null,
      ...(hasCache ? { input_includes_cache: false as const } : {}),
    };
  });
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
