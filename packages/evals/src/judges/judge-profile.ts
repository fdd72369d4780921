/**
 * `judge-profiles.yaml`: the judges, rubric and criteria of each profile, and how votes are combined.
 *
 * - `parseJudgeProfiles(bytes, file)` all profiles by name; throws an error that lists all problems with their lines.
 * - `defaultProfiles()` used without a file: one profile, with criteria from the case file.
 */
import { hash } from "@devflow/core/hash";
import { z } from "zod";
import { invalidSuite, pathText, readYaml } from "../cases/index.ts";
import { modelTiers } from "../model-tiers.ts";

const voteRules = ["mean", "median", "majority"] as const;
export type VoteRule = (typeof voteRules)[number];
const providerNames = ["anthropic", "openai", "openai-chat"] as const;
export type ProviderName = (typeof providerNames)[number];

const unit = z.number().min(0, "must be between 0 and 1").max(1, "must be between 0 and 1");
const judge = z.strictObject({
  /** A model's name, or a tier: fast, standard, full. Default: EVAL_JUDGE_TIER. */
  model: z.string().min(1).optional(),
  provider: z.enum(providerNames).optional(),
  /** Number of votes of this judge. */
  votes: z.int().min(1).max(9).default(1),
  /** `full`: votes only in full runs. */
  tier: z.enum(["full"]).optional(),
});
const criterion = z.union([
  unit.transform((threshold) => ({ threshold, weight: 1, description: undefined })),
  z.strictObject({
    description: z.string().min(1).optional(),
    threshold: unit.optional(),
    weight: z.number().min(0, "a weight cannot be negative").default(1),
  }),
]);

const profile = z
  .strictObject({
    description: z.string().optional(),
    model: z.string().min(1).optional(),
    provider: z.enum(providerNames).optional(),
    judges: z.array(judge).min(1, "name at least one judge").optional(),
    vote: z.enum(voteRules).default("mean"),
    rubric: z.string().default(""),
    criteria: z.record(z.string().min(1).max(200), criterion).default({}),
    /** The scale that the model scores in; converted to 0 to 1. */
    scale: z
      .strictObject({ min: z.number(), max: z.number() })
      .refine(({ min, max }) => min < max, "min must be below max")
      .default({ min: 0, max: 1 }),
    /** `input`, `text` (the answer), `output` (the whole output), or a dotted path: `output.reasoning`, `input.text`. */
    reads: z
      .array(
        z
          .string()
          .regex(
            /^(?:input|output)(?:\.[^.]+)*$|^text$/,
            "must be input, output, text or a path such as output.reasoning",
          ),
      )
      .min(1)
      .default(["input", "text"]),
    temperature: z.number().min(0).max(2).optional(),
    max_tokens: z.int().min(64).max(64_000).default(2_000),
    timeout_ms: z.int().min(100).max(600_000).default(60_000),
  })
  .refine(({ model, judges }) => !(model && judges), { path: ["judges"], message: "give model, or judges, not both" });

const profilesFile = z.strictObject({
  profiles: z.record(z.string().min(1), profile),
  /** The model of each tier; other tiers keep Devflow's defaults. */
  tiers: z.partialRecord(z.enum(modelTiers), z.string().min(1)).default({}),
});

export type JudgeProfile = z.output<typeof profile> & { readonly name: string };
export interface JudgeProfiles {
  readonly profiles: ReadonlyMap<string, JudgeProfile>;
  readonly tiers: z.output<typeof profilesFile>["tiers"];
}

export function defaultProfiles(): JudgeProfiles {
  return { profiles: new Map([["default", { ...profile.parse({}), name: "default" }]]), tiers: {} };
}

export function parseJudgeProfiles(bytes: Uint8Array, file: string): JudgeProfiles {
  const { documents, faults } = readYaml(bytes, file);
  const [document] = documents;
  if (faults.length > 0 || !document)
    throw invalidSuite(faults.length > 0 ? faults : [{ file, line: 1, path: "", problem: "is empty" }]);
  const parsed = profilesFile.safeParse(document.value);
  if (!parsed.success) {
    throw invalidSuite(
      parsed.error.issues.flatMap((issue) => {
        const paths = issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
        return paths.map((path) => ({
          file,
          line: document.lineAt(path),
          path: pathText(path),
          problem: issue.code === "unrecognized_keys" ? `unknown key "${String(path.at(-1))}"` : issue.message,
        }));
      }),
    );
  }
  const named = Object.entries(parsed.data.profiles).map(([name, one]) => [name, { ...one, name }] as const);
  const profiles = new Map(named);
  for (const [name, one] of defaultProfiles().profiles) if (!profiles.has(name)) profiles.set(name, one);
  return { profiles, tiers: parsed.data.tiers };
}

/** A hash of the judge's instructions: scores with different rubrics are not compared. Thresholds are not part of it. */
export function rubricSha(
  { rubric, scale, reads }: JudgeProfile,
  criteria: readonly { name: string; description: string | undefined }[],
): string {
  return hash({
    rubric,
    scale,
    reads,
    criteria: criteria.map(({ name, description }) => ({ name, description: description ?? null })),
  });
}
