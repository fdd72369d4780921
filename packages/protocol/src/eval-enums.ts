/** The closed sets of evals. A separate entry point without zod, so that help for a command's flags loads nothing else. */

/** How much of a suite was run, and how it was judged, in the order of lists: cheapest first. */
export const evalTiers = ["quick", "fast", "standard", "full", "e2e", "llm-judge"] as const;
export type EvalTier = (typeof evalTiers)[number];
/** Sorts tiers in this order; unknown words come first. */
export const byTier = (a: string, b: string): number => rankOf(a) - rankOf(b);
const rankOf = (tier: string): number => (evalTiers as readonly string[]).indexOf(tier);

/** A provider's models, cheapest first. */
export const modelTiers = ["fast", "standard", "full"] as const;
export type ModelTier = (typeof modelTiers)[number];
/** Familiar names that are accepted too. */
export const modelTierNames = { haiku: "fast", sonnet: "standard", opus: "full" } as const satisfies Record<
  string,
  ModelTier
>;

export const evalStatuses = ["pass", "fail", "error", "skipped"] as const;
export type EvalStatus = (typeof evalStatuses)[number];

/** The pass rate of a run, the same everywhere: errors and skipped results are left out. Null if nothing passed or failed. */
export function passRateOf({ passed, failed }: { readonly passed: number; readonly failed: number }): number | null {
  return passed + failed === 0 ? null : passed / (passed + failed);
}

export const evalVerdicts = ["regression", "improvement", "no evidence", "not enough data"] as const;
export type EvalVerdict = (typeof evalVerdicts)[number];

/** The formats a run can be exported to. */
export const evalExports = ["junit", "csv", "jsonl", "promptfoo", "inspect", "otlp", "markdown"] as const;
export type EvalExport = (typeof evalExports)[number];

export const evalWorkerStates = ["running", "finished", "dead"] as const;
export type EvalWorkerState = (typeof evalWorkerStates)[number];

/** `died`: no worker is running, and at least one ended without reporting that it had finished. */
export const evalWatchStates = ["running", "finished", "died"] as const;
