/**
 * A page compared with a picture of how it should look, as `screenshot --compare` reports it and the journal keeps it.
 *
 * - `comparisonIn(data)` undefined when nothing was compared.
 * - `differenceIn(data)` the file that shows what differs.
 */
import { z } from "zod";

export const Comparison = z.object({
  baseline: z.string(),
  same: z.boolean(),
  percent: z.number(),
  isOtherSize: z.boolean(),
});
export type Comparison = z.output<typeof Comparison>;

export function comparisonIn(data: unknown): Comparison | undefined {
  return Comparison.safeParse(data).data;
}

export function differenceIn(data: unknown): string | undefined {
  return z.object({ same: z.literal(false), picture: z.string() }).safeParse(data).data?.picture;
}
