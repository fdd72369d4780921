/**
 * An eval run and its results: importers create them, the store keeps them, compare and the screens read them. The file format
 * is in `format.ts`.
 */
import type { Usage } from "@devflow/prices";

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

/** Unknown members of the file are kept under `extra`. */
export interface EvalRun {
  /** Given, or derived from CI run and attempt, else from content hash and the file's mtime; new for stdin. */
  readonly runId: string;
  readonly suite: string;
  readonly label: string;
  readonly tier: EvalTier;
  /** ISO, UTC: when the run started or was recorded by its tool. */
  readonly at: string;
  readonly gitSha: string | null;
  readonly gitBranch: string | null;
  readonly promptSha: string | null;
  readonly model: string | null;
  /** Model, provider and variant tell what was run: runs that differ in them are never pooled. Absent in older records. */
  readonly provider?: string | null;
  readonly variant?: string | null;
  /** Shared by the runs of one matrix of prompts and models. */
  readonly matrix?: string | null;
  readonly host: string | null;
  readonly judges: readonly JudgeIdentity[];
  readonly durationMs: number | null;
  readonly totals: Readonly<EvalTotals>;
  /** Totals from the tool, if there is no usage per result. */
  readonly costs: readonly ModelUsage[];
  /** The tool that wrote the file: `devflow`, `promptfoo`, `inspect`, … */
  readonly source: string;
  readonly extra: Readonly<Record<string, unknown>>;
}

export interface JudgeIdentity {
  readonly model: string;
  readonly rubricSha: string | null;
  readonly threshold: number | null;
  readonly extra?: Readonly<Record<string, unknown>>;
}

export interface ModelUsage extends Usage {
  readonly extra?: Readonly<Record<string, unknown>>;
}

export interface EvalResult {
  readonly name: string;
  readonly category: string | null;
  readonly tags: readonly string[];
  readonly status: EvalStatus;
  /** 0-based; several results of one case in one run are repeats. */
  readonly repeat: number;
  /** SHA-256 of the canonical input; null if the tool gave none. Together with the name it identifies the case. */
  readonly inputSha: string | null;
  readonly input: unknown;
  readonly expectationsSha: string | null;
  readonly output: unknown;
  readonly responsePreview: string | null;
  readonly error: string | null;
  readonly failures: readonly EvalFailure[];
  /** All judge and app scores by criterion, passing or not. */
  readonly scores: Readonly<Record<string, number>>;
  readonly durationMs: number | null;
  readonly turns: number | null;
  readonly cached: boolean;
  readonly usage: readonly ModelUsage[];
  readonly comparison: unknown;
  readonly extra: Readonly<Record<string, unknown>>;
}

/** Defaults for the fields that a tool may leave out. */
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

/** A commit as the run's repository knew it when the run was pushed. */
export interface CommitNote {
  readonly sha: string;
  readonly parents: readonly string[];
  readonly author: string | null;
  /** ISO, UTC. */
  readonly at: string | null;
  readonly subject: string | null;
}

/** What an importer yields: the run first, then its results one by one, so that runs of any size can be read. */
export interface ImportedRun {
  readonly run: EvalRun;
  readonly results: AsyncIterable<EvalResult> | Iterable<EvalResult>;
  /** Descriptions of what was not carried over. May grow while `results` is read. */
  readonly losses: readonly string[];
  /** May grow while `results` is read. */
  readonly warnings: readonly string[];
  /** Known after the results were read: why some are missing. */
  readonly partial?: () => string | null;
  /** If two workers reported the same case and repeat, the results that do not count. */
  readonly superseded?: readonly EvalResult[];
  /** SHA-256 of the source bytes; pushing different content under an existing run id is refused. */
  readonly contentSha?: string;
}
