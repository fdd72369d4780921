/**
 * One eval run and its results, as every part of evals sees them: importers make them, the store keeps them, compare
 * and the screens read them. The file format on disk and from other languages is `format.ts`; this is what it becomes.
 */

import type { EvalTotals } from "@devflow/protocol";
import type { EvalStatus, EvalTier } from "@devflow/protocol/eval-enums";

export type { EvalTotals } from "@devflow/protocol";
export {
  type EvalStatus as ResultStatus,
  type EvalTier,
  evalStatuses as resultStatuses,
  evalTiers,
} from "@devflow/protocol/eval-enums";

export const failureTypes = ["deterministic", "threshold"] as const;

/** Unknown members of the file are kept beside the known ones, under `extra`. */
export interface EvalRun {
  /** Given, or derived: CI run and attempt, else content hash with the file's mtime; stdin is always new. */
  readonly runId: string;
  readonly suite: string;
  readonly label: string;
  readonly tier: EvalTier;
  /** ISO, UTC: when the run began or was recorded by its tool. */
  readonly at: string;
  readonly gitSha: string | null;
  readonly gitBranch: string | null;
  readonly promptSha: string | null;
  readonly model: string | null;
  readonly host: string | null;
  readonly judges: readonly JudgeIdentity[];
  readonly durationMs: number | null;
  readonly totals: Readonly<EvalTotals>;
  /** Summed by the tool itself, where no usage per result exists. */
  readonly costs: readonly ModelUsage[];
  /** Which tool's file it was: `devflow`, `promptfoo`, `inspect`, … */
  readonly source: string;
  readonly extra: Readonly<Record<string, unknown>>;
}

export interface JudgeIdentity {
  readonly model: string;
  readonly rubricSha: string | null;
  readonly threshold: number | null;
  readonly extra?: Readonly<Record<string, unknown>>;
}

export interface ModelUsage {
  readonly model: string;
  readonly calls: number;
  /** Without the tokens read from or written to a prompt cache: those stand in the two fields below and come on top. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** What the tool says it paid; null when it did not say. */
  readonly costUsd: number | null;
  readonly extra?: Readonly<Record<string, unknown>>;
}

export interface EvalResult {
  readonly name: string;
  readonly category: string | null;
  readonly tags: readonly string[];
  readonly status: EvalStatus;
  /** 0-based; several results of one case in one run are repeats. */
  readonly repeat: number;
  /** SHA-256 of the canonical input; null when the tool gave none. With the name it is the case's identity. */
  readonly inputSha: string | null;
  readonly input: unknown;
  readonly expectationsSha: string | null;
  readonly output: unknown;
  readonly responsePreview: string | null;
  readonly error: string | null;
  readonly failures: readonly EvalFailure[];
  /** Judge and app scores by criterion, all of them, passing or not. */
  readonly scores: Readonly<Record<string, number>>;
  readonly durationMs: number | null;
  readonly turns: number | null;
  readonly cached: boolean;
  readonly usage: readonly ModelUsage[];
  readonly comparison: unknown;
  readonly extra: Readonly<Record<string, unknown>>;
}

/** Every field that a tool may leave out, as it is then. */
export const blankResult: Omit<EvalResult, "name" | "status"> = {
  category: null,
  tags: [],
  repeat: 0,
  inputSha: null,
  input: null,
  expectationsSha: null,
  output: null,
  responsePreview: null,
  error: null,
  failures: [],
  scores: {},
  durationMs: null,
  turns: null,
  cached: false,
  usage: [],
  comparison: null,
  extra: {},
};

export interface EvalFailure {
  readonly type: (typeof failureTypes)[number];
  readonly expectationType: string | null;
  readonly message: string;
  readonly criterion: string | null;
  readonly expected: unknown;
  readonly actual: unknown;
  readonly details: unknown;
  readonly scores: Readonly<Record<string, number>> | null;
  /** Members of the file that have no field here: `check`, `pattern`, … */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** What an importer yields: the run first, then its results one by one, so that any size fits in memory. */
export interface ImportedRun {
  readonly run: EvalRun;
  readonly results: AsyncIterable<EvalResult> | Iterable<EvalResult>;
  /** What could not be carried over, in words. May grow while `results` is read. */
  readonly losses: readonly string[];
  /** May grow while `results` is read. */
  readonly warnings: readonly string[];
  /** Of two workers that reported one (case, repeat), the results that do not count; kept beside the others. */
  readonly superseded?: readonly EvalResult[];
  /** SHA-256 of the bytes it came from; pushing other content under a run id that is taken is refused. */
  readonly contentSha?: string;
}
