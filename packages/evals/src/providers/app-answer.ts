/**
 * The answer of an app: a command or an HTTP endpoint.
 *
 * - `appAnswer(given, latencyMs)` from a plain output, or from an envelope `{ output, usage, cost_usd, turns, error }`; a
 *   reported error is a fault.
 */
import { asCaseOutput, isMembers } from "../check/index.ts";
import { usageSchema } from "../results/format.ts";
import { toUsage } from "../results/normalise.ts";
import { type ProviderAnswer, ProviderFault, type ProviderTokens } from "./provider.ts";

/** What an answer tells besides its output; in `ProviderAnswer.raw`. */
export interface AnswerDetails {
  readonly turns?: number | undefined;
  /** The model that the app or agent says it used. */
  readonly model?: string | undefined;
}

export function appAnswer(given: unknown, latencyMs: number): ProviderAnswer {
  const { cost_usd: cost, ...rest } = isMembers(given) && "output" in given ? given : { cost_usd: undefined };
  const { output, error, turns, model, usage = [] } = asCaseOutput(cost === undefined ? given : rest);
  const counted = usage.flatMap((one) => {
    const parsed = usageSchema.safeParse(one);
    return parsed.success ? [toUsage(parsed.data)] : [];
  });
  const tokens = counted.reduce<ProviderTokens | undefined>(
    (sum, one) => ({
      input: (sum?.input ?? 0) + one.inputTokens,
      output: (sum?.output ?? 0) + one.outputTokens,
      cacheRead: (sum?.cacheRead ?? 0) + one.cacheReadTokens,
      cacheWrite: (sum?.cacheWrite ?? 0) + one.cacheWriteTokens,
    }),
    undefined,
  );
  if (error !== undefined) throw new ProviderFault("failed", `it reported an error: ${error}`, { tokens });
  const reported = counted.length > 0 && counted.every(({ costUsd }) => costUsd !== null);
  const costUsd =
    typeof cost === "number" && cost >= 0
      ? cost
      : reported
        ? counted.reduce((sum, one) => sum + (one.costUsd ?? 0), 0)
        : undefined;
  const details: AnswerDetails = { turns, model: counted[0]?.model ?? model };
  const isPlain = typeof output === "string" || (typeof output === "object" && output !== null);
  return {
    output: isPlain ? (output as string | object) : String(output ?? ""),
    tokens,
    costUsd,
    latencyMs,
    raw: details,
  };
}
