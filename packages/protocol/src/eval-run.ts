/** An eval run as lists show it: the store keeps it, commands print it, and the API extends it. */
import { z } from "zod";
import { evalTiers } from "./eval-enums.ts";

const Count = z.number().int().nonnegative();

export const EvalTotals = z.object({ total: Count, passed: Count, failed: Count, errors: Count, skipped: Count });
export type EvalTotals = z.infer<typeof EvalTotals>;

/** In dollars. Calls without a known price are counted in `unpricedCalls` and left out of the sums. */
export const EvalMoney = z.object({ actualUsd: z.number(), estimatedUsd: z.number(), unpricedCalls: Count });
export type EvalMoney = z.infer<typeof EvalMoney>;

export const StoredEvalRun = z.object({
  runId: z.string(),
  suite: z.string(),
  label: z.string(),
  tier: z.enum(evalTiers),
  at: z.iso.datetime({ offset: true }),
  gitSha: z.string().nullable(),
  gitBranch: z.string().nullable(),
  promptSha: z.string().nullable(),
  model: z.string().nullable(),
  provider: z.string().nullable().describe("Who served the model, if the tool tells it apart from the model"),
  variant: z.string().nullable().describe("Which prompt or configuration of a matrix was run"),
  matrix: z.string().nullable().describe("Runs with the same value are cells of one matrix"),
  host: z.string().nullable(),
  judgeKey: z
    .string()
    .describe("One key for judges, rubrics and thresholds together; runs with equal keys are comparable"),
  attempt: Count.describe("Attempt number among runs of the same suite, label, tier and commit"),
  ...EvalTotals.shape,
  durationMs: z.number().nullable(),
  ...EvalMoney.shape,
  source: z.string().describe("The tool that wrote the file"),
  isPartial: z.boolean().describe("The run ended early; it is shown, but no run is compared with it unasked"),
});
export type StoredEvalRun = z.infer<typeof StoredEvalRun>;
