/**
 * The contents of a case file: metadata with fixed names, blocks for A/B tests and tier chains, and expectations. Everything
 * else is the case's input.
 */
import { isAbsolute } from "node:path";
import { z } from "zod";
import { providerSpec } from "../providers/provider-spec.ts";
import { evalTiers } from "../results/result.ts";
import { promptSpec } from "./prompt-spec.ts";

const name = z.string().trim().min(1, "give the case a name").max(500, "a name can have at most 500 characters");
const tag = z.string().trim().min(1, "a tag cannot be empty");
const variables = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "is not a valid variable name"),
  z.union([z.string(), z.number(), z.boolean()]).transform(String),
);
const side = z.strictObject({ env: variables.default({}) });
const tolerance = z.number().min(0, "a tolerance cannot be negative").max(1, "a tolerance can be at most 1");

/** A relative path that stays inside its folder. */
const plainFile = z
  .string()
  .min(1)
  .refine(
    (path) => !isAbsolute(path) && !path.split(/[\\/]/).includes("..") && !path.includes("\0"),
    "must stay inside its folder",
  );

const comparisonSchema = z.strictObject({
  type: z.literal("ab_test"),
  control: side.prefault({}),
  treatment: side.prefault({}),
  tolerance: tolerance.default(0.05),
  /** Criteria that vary more than others, each with its own tolerance. */
  flaky_criteria: z.record(z.string().min(1), tolerance).default({}),
});
export type Comparison = z.output<typeof comparisonSchema>;

const chainStep = z.strictObject({
  tier: z.enum(evalTiers),
  model: z.string().min(1).optional(),
  output_file: plainFile.optional(),
  input_from: plainFile.optional(),
});

const tierChainSchema = z
  .array(chainStep)
  .min(1, "give at least one step")
  .superRefine((steps, context) => {
    const written = new Set<string>();
    steps.forEach(({ input_from, output_file }, index) => {
      if (input_from !== undefined && !written.has(input_from)) {
        context.addIssue({
          code: "custom",
          path: [index, "input_from"],
          message: `no earlier step has the output_file ${input_from}`,
        });
      }
      if (output_file === undefined) return;
      if (written.has(output_file)) {
        context.addIssue({
          code: "custom",
          path: [index, "output_file"],
          message: `an earlier step also writes ${output_file}`,
        });
      }
      written.add(output_file);
    });
  });
export type ChainStep = z.output<typeof chainStep>;

/** How much of a suite runs: cases of tier `quick` always run, cases of tier `full` only in full runs. */
export const scopes = ["quick", "standard", "full"] as const;
export type Scope = (typeof scopes)[number];

const shared = {
  category: z.string().trim().min(1).optional(),
  tags: z.array(tag).default([]),
  prompt_source_files: z.array(z.string().min(1)).default([]),
};

export const caseMetadata = z.strictObject({
  name,
  description: z.string().optional(),
  ...shared,
  tier: z.enum(scopes).optional(),
  comparison: comparisonSchema.optional(),
  tier_chain: tierChainSchema.optional(),
});

export const suiteHeader = z.strictObject({
  suite: z.string().trim().min(1).max(200).optional(),
  description: z.string().optional(),
  ...shared,
  /** From least to most severe; words of the same rank are in a nested list. */
  severity_order: z
    .array(
      z.union([
        z
          .string()
          .min(1)
          .transform((word) => [word]),
        z.array(z.string().min(1)).min(1),
      ]),
    )
    .min(2, "an order needs at least two ranks")
    .optional(),
  /** What `eval check --run` asks, and whom: every prompt is sent to every provider. */
  prompts: z.array(promptSpec).min(1, "give at least one prompt").optional(),
  providers: z.array(providerSpec).min(1, "give at least one provider").optional(),
});
export type SuiteHeader = z.output<typeof suiteHeader>;

export const metadataKeys: readonly string[] = Object.keys(caseMetadata.shape);
export const headerKeys: readonly string[] = Object.keys(suiteHeader.shape);
