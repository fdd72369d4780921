/**
 * The eval result format, schema_version 1, which `devflow eval push` reads. These zod schemas define it;
 * `schemas/eval-result@1.json` is generated from them, and docs/eval-result-format.md explains it.
 *
 * Every optional member may also be null, because many languages write missing values as null. Unknown members are allowed
 * everywhere, and kept.
 */
import { z } from "zod";
import { evalTiers, failureTypes, resultStatuses } from "./result.ts";

const text = z.string();
const name = z.string().min(1).max(2000);
const whole = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const amount = z.number().min(0);
const scores = z.record(z.string(), z.number().nullable());

export const usageSchema = z
  .looseObject({
    model: name.describe("The model's id as the provider names it"),
    calls: whole.nullish().describe("The number of requests that the tokens are the sum of; default: 1"),
    input_tokens: whole.nullish().describe("As reported by the provider"),
    output_tokens: whole.nullish(),
    cache_read_tokens: whole.nullish(),
    cache_write_tokens: whole.nullish(),
    input_includes_cache: z
      .boolean()
      .nullish()
      .describe("Whether input_tokens include cache tokens. Default: false for Claude models, true for all others"),
    cost_usd: amount.nullish().describe("The actual cost; without it, the cost is estimated"),
  })
  .describe("Tokens of one model");

const judgeSchema = z.looseObject({
  model: name,
  rubric_sha: text.nullish(),
  threshold: z.number().nullish(),
});

const failureSchema = z.union([
  text,
  z.looseObject({
    type: z.enum(failureTypes).nullish().describe("Default: threshold if there is a criterion, else deterministic"),
    expectation_type: text.nullish(),
    message: text.nullish(),
    criterion: text.nullish(),
    expected: z.unknown().optional(),
    actual: z.unknown().optional(),
    details: z.unknown().optional(),
    scores: scores.nullish().describe("All scores, passing and failing"),
  }),
]);

export const resultSchema = z.looseObject({
  name: name.describe("The case's name; name and input identify the case"),
  passed: z.boolean().nullish().describe("Either this or status"),
  status: z
    .enum(resultStatuses)
    .nullish()
    .describe("error: the case did not run, or the judge failed; distinct from fail"),
  category: text.nullish(),
  tags: z.array(text).nullish(),
  repeat: whole.nullish().describe("0-based; by default, results of one case are numbered in order"),
  input: z.unknown().optional().describe("The case's input"),
  input_sha: text.nullish().describe("Instead of input, if the input is private or large"),
  expectations_sha: text.nullish(),
  output: z.unknown().optional().describe("The case's output, of any shape"),
  response_preview: text.nullish(),
  error: text.nullish(),
  failures: z.array(failureSchema).nullish(),
  judge_scores: scores.nullish().describe("All scores by criterion"),
  duration_ms: amount.nullish(),
  turns: whole.nullish(),
  cached: z.boolean().nullish(),
  usage: z.array(usageSchema).nullish(),
  comparison: z.unknown().optional().describe("A/B and tier-chain results"),
});

const runMembers = {
  schema_version: z.literal(1).nullish(),
  suite: name.nullish(),
  run_id: name.nullish().describe("Identifies the run; derived if absent"),
  label: name.nullish().describe("Default: EVAL_LABEL or the branch, followed by the tier"),
  timestamp: z.iso.datetime({ offset: true }).nullish(),
  git_sha: text.nullish(),
  git_branch: text.nullish(),
  prompt_sha: text.nullish(),
  model: text.nullish(),
  source: text.nullish().describe("The tool that wrote the file; default: devflow"),
  host: text.nullish(),
  hostname: text.nullish().describe("The old name of host"),
  tier: z.enum(evalTiers).nullish().describe("Default: standard"),
  judges: z.array(judgeSchema).nullish(),
  total: whole.nullish().describe("Totals are recomputed from the results; a difference gives a warning"),
  passed: whole.nullish(),
  failed: whole.nullish(),
  errors: whole.nullish(),
  skipped: whole.nullish(),
  duration_seconds: amount.nullish(),
  by_category: z
    .record(z.string(), z.looseObject({ passed: whole.nullish(), total: whole.nullish() }))
    .nullish()
    .describe("Recomputed"),
  costs: z.array(usageSchema).nullish().describe("Total usage per model, if the results contain none"),
};

/** A run without its results; also the first line of JSONL. */
export const runHeaderSchema = z.looseObject(runMembers);

export const resultFileSchema = z
  .union([
    z.looseObject({ ...runMembers, all_results: z.array(resultSchema) }),
    z.looseObject({ ...runMembers, results: z.array(resultSchema) }),
  ])
  .describe("A run of an eval suite: schema_version 1 of Devflow's eval result format");

export type FileResult = z.output<typeof resultSchema>;
export type FileRun = z.output<typeof runHeaderSchema>;
export type FileUsage = z.output<typeof usageSchema>;

export const knownRunMembers: ReadonlySet<string> = new Set([...Object.keys(runMembers), "all_results", "results"]);
export const knownResultMembers: ReadonlySet<string> = new Set(Object.keys(resultSchema.shape));
export const knownUsageMembers: ReadonlySet<string> = new Set(Object.keys(usageSchema.shape));
export const knownJudgeMembers: ReadonlySet<string> = new Set(Object.keys(judgeSchema.shape));
export const knownFailureMembers: ReadonlySet<string> = new Set([
  "type",
  "expectation_type",
  "message",
  "criterion",
  "expected",
  "actual",
  "details",
  "scores",
]);
