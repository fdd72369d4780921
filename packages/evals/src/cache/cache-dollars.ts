/**
 * What a cached output cost to produce, from its `cost_usd`, or from `usage` as in the result format.
 *
 * - `dollarsOf(data, at)` null if the output has neither, or if the price is unknown.
 */
import { usageSchema } from "../results/format.ts";
import { toUsage } from "../results/normalise.ts";

export async function dollarsOf(data: unknown, at: string): Promise<number | null> {
  if (data === null || typeof data !== "object") return null;
  const { cost_usd: cost, usage } = data as { cost_usd?: unknown; usage?: unknown };
  if (typeof cost === "number" && Number.isFinite(cost) && cost >= 0) return cost;
  if (!Array.isArray(usage) || usage.length === 0) return null;
  const { priceUsage } = await import("@devflow/prices");
  let sum = 0;
  for (const one of usage) {
    const parsed = usageSchema.safeParse(one);
    if (!parsed.success) return null;
    const priced = await priceUsage(toUsage(parsed.data), at);
    if (priced.usd === null) return null;
    sum += priced.usd;
  }
  return sum;
}
