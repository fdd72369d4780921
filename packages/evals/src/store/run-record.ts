/**
 * A stored run: what was imported, when, and its summary.
 *
 * - `checkedRecord(value, refusal)` a record read from a file; throws the refusal, which names the first wrong member.
 */
import type { StoredEvalRun } from "@devflow/protocol";
import { z } from "zod";
import { type CommitNote, type EvalRun, evalTiers } from "../results/result.ts";
import type { RunSummary } from "./run-summary.ts";

export interface RunRecord {
  readonly format: 1;
  /** Its totals are recounted from the results. */
  readonly run: EvalRun;
  readonly pushedAt: string;
  /** Null if the importer had no bytes to hash. */
  readonly contentSha: string | null;
  readonly summary: RunSummary;
  readonly superseded: number;
  /** Why results are missing; absent for a complete run. */
  readonly partial?: string;
  /** The run's commit and those before it, newest first, so that runs can be compared where the repository is not. */
  readonly commits?: readonly CommitNote[];
  readonly losses: readonly string[];
  readonly warnings: readonly string[];
}

/** A run as it appears in lists. */
export type RunLine = Readonly<StoredEvalRun>;

const text = z.string();
const finite = z.number();
const totals = z.looseObject({ total: finite, passed: finite, failed: finite, errors: finite, skipped: finite });

/** The members that lists, sums and pages rely on; the rest is shown as it is. */
const recordSchema = z.looseObject({
  format: z.literal(1),
  run: z.looseObject({
    runId: text,
    suite: text,
    label: text,
    tier: z.enum(evalTiers),
    at: z.iso.datetime({ offset: true }),
    gitSha: text.nullable(),
    gitBranch: text.nullable(),
    promptSha: text.nullable(),
    model: text.nullable(),
    provider: text.nullish(),
    variant: text.nullish(),
    matrix: text.nullish(),
    host: text.nullable(),
    judges: z.array(z.looseObject({ model: text, rubricSha: text.nullable(), threshold: finite.nullable() })),
    durationMs: finite.nullable(),
    totals,
    costs: z.array(z.looseObject({ model: text, costUsd: finite.nullable() })),
    source: text,
  }),
  pushedAt: z.iso.datetime({ offset: true }),
  contentSha: text.nullable(),
  summary: z.looseObject({
    totals,
    categories: z.record(text, totals),
    criteria: z.record(text, z.looseObject({ count: finite, mean: finite, min: finite, max: finite })),
    durations: z.looseObject({ p50Ms: finite, p95Ms: finite, sumMs: finite }).nullable(),
    cost: z.looseObject({
      models: z.array(z.looseObject({ model: text, actualUsd: finite, estimatedUsd: finite })),
      actualUsd: finite,
      estimatedUsd: finite,
      unpricedCalls: finite,
    }),
  }),
  commits: z
    .array(
      z.looseObject({
        sha: text,
        parents: z.array(text),
        author: text.nullable(),
        at: text.nullable(),
        subject: text.nullable(),
      }),
    )
    .optional(),
  partial: text.optional(),
  losses: z.array(text),
  warnings: z.array(text),
});

export function checkedRecord(value: unknown, refusal: (reason: string) => Error): RunRecord {
  const checked = recordSchema.safeParse(value);
  if (checked.success) return value as RunRecord;
  const [issue] = checked.error.issues;
  throw refusal(`its record is wrong at ${issue?.path.join(".")}: ${issue?.message.replace("Invalid input: ", "")}`);
}
