/**
 * Which model judges, by tier: `fast`, `standard`, `full`, with the names that people use for them.
 *
 * - `judgeTierOf(word)` haiku → fast, sonnet → standard, opus → full; undefined for anything else.
 */
export const judgeTiers = ["fast", "standard", "full"] as const;
export type JudgeTier = (typeof judgeTiers)[number];

const aliases: Readonly<Record<string, JudgeTier>> = { haiku: "fast", sonnet: "standard", opus: "full" };

export const usualModels: Readonly<Record<JudgeTier, string>> = {
  fast: "claude-haiku-4-5",
  standard: "claude-sonnet-4-6",
  full: "claude-opus-4-6",
};

export function judgeTierOf(word: string): JudgeTier | undefined {
  const key = word.trim().toLowerCase();
  return judgeTiers.find((tier) => tier === key) ?? (Object.hasOwn(aliases, key) ? aliases[key] : undefined);
}
