/** What an alert says: stored with its message while it waits, and deleted after it was sent. */
import { z } from "zod";

const Rate = z.number().nullable();

/** About a suite on a branch. */
export const EvalAlert = z.object({
  repo: z.string().nullable(),
  suite: z.string(),
  tier: z.string(),
  branch: z.string().nullable(),
  variant: z.string().nullable(),
  sha: z.string().nullable(),
  subject: z.string().nullable(),
  author: z.string().nullable(),
  /** Who pushed the run. */
  person: z.string(),
  at: z.string(),
  reason: z.string(),
  rateBefore: Rate,
  rateNow: Rate,
  /** The first ones by name, and how many there are. */
  broken: z.array(z.string()),
  brokenCount: z.number().int(),
  usd: z.number(),
  usdBefore: z.number().nullable(),
  /** Since when it had been worse; of a recovery. */
  since: z.string().nullable(),
});
export type EvalAlert = z.infer<typeof EvalAlert>;

/** The days of a digest; the rest is read when it is sent. */
export const DigestSpan = z.object({ from: z.string(), to: z.string() });
