/**
 * Judge settings, from flags, the environment and `judge-profiles.yaml`.
 *
 * - `judgeSettings(given, context)` everything judges need; fails before any call if there is no API key at all.
 */
import { readFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import type { CommandContext, InputOf } from "@devflow/core/command";
import { environmentOf } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import { Secret } from "@devflow/core/secret";
import { type ModelTier, modelTiers, tierOf } from "@devflow/evals";
import type { JudgeSettings } from "@devflow/evals/check";
import { defaultProfiles, type JudgeProfiles, parseJudgeProfiles } from "@devflow/evals/judges";
import type { evalCheckRecord } from "./check-commands.ts";

export interface GivenJudging extends Pick<InputOf<typeof evalCheckRecord>, "profiles" | "judgeTier"> {
  readonly isFullRun: boolean;
  /** A file of profiles may be next to them. */
  readonly caseFiles: readonly string[];
}

export async function judgeSettings(given: GivenJudging, context: CommandContext): Promise<JudgeSettings> {
  const variables = environmentOf(context.env);
  const key = (name: "ANTHROPIC_API_KEY" | "OPENAI_API_KEY") =>
    variables[name] ? new Secret(variables[name]) : undefined;
  const isAddressed = variables.ANTHROPIC_BASE_URL || variables.OPENAI_BASE_URL;
  if (!variables.ANTHROPIC_API_KEY && !variables.OPENAI_API_KEY && !isAddressed) {
    throw new DevflowError("input_invalid", {
      details: {
        problem: "Judges cannot be called: no API key is set.",
        next: "export ANTHROPIC_API_KEY=… (or OPENAI_API_KEY, or the base URL of your own server), or omit --judge.",
      },
    });
  }
  return {
    profiles: await readProfiles(given, context.cwd),
    tier: judgeTier(given.judgeTier ?? variables.EVAL_JUDGE_TIER),
    isFullRun: given.isFullRun,
    providers: {
      anthropic: {
        baseUrl: variables.ANTHROPIC_BASE_URL || "https://api.anthropic.com",
        key: key("ANTHROPIC_API_KEY"),
      },
      openai: { baseUrl: variables.OPENAI_BASE_URL || "https://api.openai.com/v1", key: key("OPENAI_API_KEY") },
    },
    cacheFolder: variables.EVAL_JUDGE_CACHE === "0" ? undefined : join(context.config().home, "eval-judge-cache"),
  };
}

function judgeTier(word: string | undefined): ModelTier {
  if (!word) return "standard";
  const tier = tierOf(word);
  if (tier) return tier;
  throw new DevflowError("input_invalid", {
    details: {
      problem: `EVAL_JUDGE_TIER is "${word}", which is not a tier.`,
      next: `Use one of ${modelTiers.join(", ")}, haiku, sonnet or opus.`,
    },
  });
}

async function readProfiles({ profiles, caseFiles }: GivenJudging, cwd: string): Promise<JudgeProfiles> {
  if (profiles !== undefined) {
    const path = resolve(cwd, profiles);
    const bytes = await readFile(path).catch((cause) => {
      throw new DevflowError("not_found", {
        details: { what: `The judge profiles file ${profiles}`, next: "See docs/eval-suites.md" },
        cause,
      });
    });
    return parseJudgeProfiles(bytes, profiles);
  }
  for (const folder of new Set([cwd, ...caseFiles.map((file) => dirname(resolve(cwd, file)))])) {
    for (const name of ["judge-profiles.yaml", "judge-profiles.yml"]) {
      const path = join(folder, name);
      const bytes = await readFile(path).catch(() => undefined);
      if (bytes) return parseJudgeProfiles(bytes, relative(cwd, path));
    }
  }
  return defaultProfiles();
}
