/**
 * What a case file may say: metadata with fixed names, blocks for A/B tests and chains of tiers, expectations, and
 * everything else as the case's input.
 */
import { isAbsolute } from "node:path";
import { z } from "zod";
import { evalTiers } from "../results/result.ts";

const name = z.string().trim().min(1, "give the case a name").max(500, "a name has at most 500 characters");
const tag = z.string().trim().min(1, "a tag is not empty");
const variables = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "is no name of a variable"),
  z.union([z.string(), z.number(), z.boolean()]).transform(String),
);
const side = z.strictObject({ env: variables.default({}) });
const tolerance = z.number().min(0, "a tolerance is not negative").max(1, "a tolerance is at most 1");

/** A file beside others of its kind: nothing that leads out of the folder. */
const plainFile = z
  .string()
  .min(1)
  .refine(
    (path) => !isAbsolute(path) && !path.split(/[\\/]/).includes("..") && !path.includes("\0"),
    "stays inside its folder",
  );

const comparisonSchema = z.strictObject({
  type: z.literal("ab_test"),
  control: side.prefault({}),
  treatment: side.prefault({}),
  tolerance: tolerance.default(0.05),
  /** Criteria that vary more than others, with a tolerance of their own. */
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
          message: `an earlier step writes ${output_file} too`,
        });
      }
      written.add(output_file);
    });
  });
export type ChainStep = z.output<typeof chainStep>;

/** How much of a suite runs: a case of tier `quick` runs always, one of tier `full` only in a full run. */
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
  /** From harmless to worst; words of one rank in a list of their own. */
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
    .min(2, "an order has at least two ranks")
    .optional(),
});
export type SuiteHeader = z.output<typeof suiteHeader>;

export const metadataKeys: readonly string[] = Object.keys(caseMetadata.shape);
export const headerKeys: readonly string[] = Object.keys(suiteHeader.shape);
