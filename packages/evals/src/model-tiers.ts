/**
 * The model of each tier, per provider; used by judges and costs.
 *
 * - `modelTiers` fast, standard, full; `tierOf(word)` also accepts haiku, sonnet and opus.
 * - `tierLadders` for each provider, the model of each tier.
 * - `usualModels` the models that judges use unless a profile names another.
 */
import { type ModelTier, modelTierNames, modelTiers } from "@devflow/protocol/eval-enums";

export { type ModelTier, modelTiers } from "@devflow/protocol/eval-enums";

interface Ladder {
  readonly maker: string;
  readonly matches: RegExp;
  readonly models: Readonly<Record<ModelTier, string>>;
}

const anthropic: Ladder = {
  maker: "Anthropic",
  matches: /claude/i,
  models: { fast: "claude-haiku-4-5", standard: "claude-sonnet-4-6", full: "claude-opus-4-6" },
};

export const tierLadders: readonly Ladder[] = [
  anthropic,
  {
    maker: "OpenAI",
    matches: /^(?:openai[/:])?(?:gpt-|o\d)/i,
    models: { fast: "gpt-5.4-nano", standard: "gpt-5.4-mini", full: "gpt-5.4" },
  },
  {
    maker: "Google",
    matches: /gemini/i,
    models: { fast: "gemini-2.5-flash-lite", standard: "gemini-2.5-flash", full: "gemini-2.5-pro" },
  },
];

export const usualModels = anthropic.models;

const names: Readonly<Record<string, ModelTier>> = modelTierNames;

export function tierOf(word: string): ModelTier | undefined {
  const key = word.trim().toLowerCase();
  return modelTiers.find((tier) => tier === key) ?? (Object.hasOwn(names, key) ? names[key] : undefined);
}
