/**
 * Records on the wire: what a push is answered, and what a pull gives out. What is in a payload is said by its kind, in
 * `packages/team/src/records`.
 */
import { z } from "zod";
import { evalStatuses } from "./eval-enums.ts";

const Time = z.iso.datetime({ offset: true });

/** A kind that the server can store, and the newest form of it that it knows. */
export const RecordKind = z.object({ kind: z.string(), schema_version: z.number().int() });

const recordStatuses = ["stored", "duplicate", "deferred", "rejected", "erased"] as const;

export const RecordAnswer = z.object({
  id: z.uuid(),
  status: z.enum(recordStatuses),
  /** Why it was rejected or deferred. */
  reason: z.string().nullable(),
});
export type RecordAnswer = z.infer<typeof RecordAnswer>;

/** A stored record. */
export const RecordRow = z.object({
  id: z.uuid(),
  kind: z.string(),
  schema_version: z.number().int(),
  /** When it was written, by the server's clock. */
  at: Time,
  received_at: Time,
  expires_at: Time.nullable(),
  agent: z.string().nullable(),
  user_id: z.uuid(),
  user_name: z.string().nullable(),
  /** The canonical remote of its repository. */
  repo: z.string().nullable(),
  payload: z.unknown(),
});
export type RecordRow = z.infer<typeof RecordRow>;

export const PulledRow = z.object({
  seq: z.number().int().positive(),
  kind: z.string(),
  id: z.uuid(),
  op: z.enum(["upsert", "delete"]),
  record: RecordRow.nullable(),
});
export type PulledRow = z.infer<typeof PulledRow>;

/** The results of an eval run without their texts. */
export const RunResults = z.object({
  run_id: z.uuid(),
  results: z.array(
    z.object({
      name: z.string(),
      category: z.string().nullable(),
      status: z.enum(evalStatuses),
      repeat: z.number().int(),
      inputSha: z.string().nullable(),
      scores: z.record(z.string(), z.number()),
      durationMs: z.number().nullable(),
    }),
  ),
});
export type RunResults = z.infer<typeof RunResults>;

export const FoundRecord = z.object({ id: z.uuid(), is_erased: z.boolean(), hash: z.string().nullable() });

/** `records`: how many were erased with it. */
export const ForgottenRecord = z.object({ id: z.uuid(), kind: z.string(), records: z.number().int() });
