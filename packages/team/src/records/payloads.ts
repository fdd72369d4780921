/**
 * What is in the records that people and skills push from files. The server checks the members that its tables need; everything else in
 * a payload is kept as it is.
 *
 * - `filePayloads` the schema of each kind, and what `sync push-…` calls it.
 */
import { z } from "zod";

const text = z.string().min(1).max(2_000);
const Day = z.iso.date();

const Retro = z.looseObject({
  date: Day,
  window: z.string().regex(/^[1-9]\d{0,2}d$/, "expected days, such as 7d"),
  metrics: z.record(z.string(), z.unknown()),
  authors: z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]).optional(),
  tweetable: z.string().max(1_000).optional(),
});

const Triage = z.looseObject({
  date: Day,
  reviewer: text.max(200).default("greptile"),
  outcome: z.enum(["fp", "fix", "already-fixed"]),
  file_pattern: text,
  category: text.max(200),
});

const Qa = z.looseObject({
  url: text,
  mode: text.max(100),
  health_score: z.number().min(0).max(100).nullish(),
  issues: z.array(z.unknown()).optional(),
});

const Ship = z.looseObject({ version: text.max(200), branch: text, pr_url: z.url().nullish() });

export const filePayloads = {
  retro: { kind: "retro_snapshot", schema: Retro },
  triage: { kind: "review_triage", schema: Triage },
  qa: { kind: "qa_report", schema: Qa },
  ship: { kind: "ship_log", schema: Ship },
} as const;
export type FilePayload = keyof typeof filePayloads;
