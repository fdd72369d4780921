/** Alerts, the digest and retention of a team, as the data plane answers them. */
import { z } from "zod";

const Time = z.iso.datetime({ offset: true });
const Count = z.number().int();

export const webhookFormats = ["auto", "slack", "json"] as const;

/** Never the URL of the webhook. */
export const AlertState = z.object({
  webhook_host: z.string().nullable(),
  webhook_format: z.enum(webhookFormats),
  /** Null for those who are no admins. */
  emails: z.array(z.string()).nullable(),
  /** Empty: all branches. */
  branches: z.array(z.string()),
  time_zone: z.string(),
  digest: z.boolean(),
  /** 1 is Monday. */
  digest_day: Count,
  digest_hour: Count,
  waiting: Count,
  failing: Count,
  given_up: Count,
  last_error: z.string().nullable(),
  open_regressions: Count,
});
export type AlertState = z.infer<typeof AlertState>;

/** What was queued, and for how many targets. */
export const QueuedAlert = z.object({ key: z.string(), targets: Count });

/** One week of a team. */
export const DigestPage = z.object({
  team: z.string(),
  from_at: Time,
  to_at: Time,
  members: Count,
  suites: z.array(
    z.object({
      suite: z.string(),
      repo: z.string().nullable(),
      runs: Count,
      passed: Count,
      results: Count,
      passed_before: Count,
      results_before: Count,
    }),
  ),
  usd: z.number(),
  usd_before: z.number(),
  ships: z.array(
    z.object({
      version: z.string(),
      branch: z.string(),
      pr_url: z.string().nullable(),
      at: Time,
      person: z.string(),
      repo: z.string().nullable(),
    }),
  ),
  /** Those that were open in this week. */
  regressions: z.array(
    z.object({
      suite: z.string(),
      branch: z.string().nullable(),
      repo: z.string().nullable(),
      opened_at: Time,
      closed_at: Time.nullable(),
    }),
  ),
  qa_reports: Count,
  qa_score: z.number().nullable(),
  qa_score_before: z.number().nullable(),
  reviews: Count,
  review_false: Count,
  /** The line of the newest retro. */
  note: z.string().nullable(),
  /** How many there are; the lists above have the first of them. An older server does not count. */
  run_count: Count.optional(),
  suite_count: Count.optional(),
  ship_count: Count.optional(),
  regression_count: Count.optional(),
});
export type DigestPage = z.infer<typeof DigestPage>;

export const RetentionRow = z.object({ kind: z.string(), days: Count });
