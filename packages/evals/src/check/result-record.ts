/** A result and a run in Devflow's file format. */
import type { Expectation } from "../expectations/index.ts";

export interface ResultRecord {
  readonly name: string;
  readonly category: string | null;
  readonly tags: readonly string[];
  readonly repeat: number;
  readonly status: "pass" | "fail" | "error" | "skipped";
  readonly passed: boolean;
  readonly error: string | null;
  readonly duration_ms: number | null;
  readonly input: unknown;
  readonly input_sha: string;
  readonly expectations_sha: string;
  readonly output: unknown;
  readonly response_preview: string | null;
  readonly failures: readonly FailureRecord[];
  /** Checks that could not run, as opposed to failures. */
  readonly check_errors: readonly { readonly expectation_type: string; readonly message: string }[];
  readonly judge_scores: Readonly<Record<string, number>>;
  /** By criterion, like the scores. */
  readonly judge_thresholds: Readonly<Record<string, number>>;
  readonly judge_votes: readonly unknown[];
  /** What the judges were asked, so that the stored output can be judged again without the case file. */
  readonly judged_expectations: readonly Expectation[];
  readonly judges: readonly JudgeRecord[];
  readonly turns: number | null;
  readonly cached: boolean;
  readonly usage: readonly UsageRecord[];
  readonly comparison: unknown;
}

export interface FailureRecord {
  readonly type: "deterministic" | "threshold";
  readonly expectation_type: string;
  readonly message: string;
  readonly criterion: string | null;
  readonly expected: unknown;
  readonly actual: unknown;
  readonly place: string | null;
  readonly details: unknown;
  readonly scores: Readonly<Record<string, number>> | null;
}

export interface UsageRecord {
  readonly model: string;
  readonly calls: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly cost_usd: number | null;
  /** Set if there are cache tokens, because providers count them in two ways. */
  readonly input_includes_cache?: false;
}

export interface JudgeRecord {
  readonly model: string;
  readonly rubric_sha: string | null;
  readonly threshold: number | null;
}

export interface RunRecord {
  readonly schema_version: 1;
  readonly run_id: string;
  readonly suite: string;
  readonly label: string;
  readonly timestamp: string;
  readonly git_sha: string | null;
  readonly git_branch: string | null;
  readonly prompt_sha: string | null;
  readonly host: string | null;
  readonly tier: string;
  readonly model: string | null;
  /** Of a run that asked a model itself: a cell of a matrix of prompts and providers. */
  readonly provider?: string;
  readonly variant?: string;
  readonly matrix?: string;
  readonly judges: readonly JudgeRecord[];
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly errors: number;
  readonly skipped: number;
  readonly duration_seconds: number;
  readonly by_category: Readonly<Record<string, { readonly passed: number; readonly total: number }>>;
  readonly all_results: readonly ResultRecord[];
  readonly costs: readonly UsageRecord[];
  /** The run whose outputs were judged again; also in `source`, which lists of runs show. */
  readonly rejudged_from?: string;
  readonly source?: string;
}
