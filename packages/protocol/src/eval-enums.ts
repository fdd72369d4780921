/** Closed sets of evals. A door of its own without zod, so that a command's flags can be told without loading the rest. */

/** How much of a suite was run, and how it was judged. From the cheapest on, as lists show them. */
export const evalTiers = ["quick", "fast", "standard", "full", "e2e", "llm-judge"] as const;
export type EvalTier = (typeof evalTiers)[number];
/** For `sort`: the tiers in their order, words that are none before them. */
export const byTier = (a: string, b: string): number => placeOf(a) - placeOf(b);
const placeOf = (tier: string): number => (evalTiers as readonly string[]).indexOf(tier);

/** Which model of a maker, from the cheapest on. */
export const modelTiers = ["fast", "standard", "full"] as const;
export type ModelTier = (typeof modelTiers)[number];
/** What people call them too. */
export const modelTierNames = { haiku: "fast", sonnet: "standard", opus: "full" } as const satisfies Record<
  string,
  ModelTier
>;

export const evalStatuses = ["pass", "fail", "error", "skipped"] as const;
export type EvalStatus = (typeof evalStatuses)[number];

export const evalVerdicts = ["regression", "improvement", "no evidence", "not enough data"] as const;
export type EvalVerdict = (typeof evalVerdicts)[number];

export const evalWorkerStates = ["running", "finished", "dead"] as const;
export type EvalWorkerState = (typeof evalWorkerStates)[number];

/** `died`: nobody is at work and some worker ended without saying that it had finished. */
export const evalWatchStates = ["running", "finished", "died"] as const;
export type EvalWatchState = (typeof evalWatchStates)[number];
