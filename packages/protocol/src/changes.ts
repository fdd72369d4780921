/** The ordered log of a team, as it travels over `/sse/team/:teamId`, `/sse/global` and `api.changes`. */
import { z } from "zod";

export const Change = z.object({
  teamId: z.uuid(),
  seq: z.number().int().positive(),
  kind: z.string(),
  entityId: z.uuid(),
  op: z.enum(["upsert", "delete"]),
  at: z.iso.datetime({ offset: true }),
});
export type Change = z.infer<typeof Change>;

/**
 * Events of the streams. Each frame is `event: <name>`, `data: <json>`; `change` and `ready` carry an `id:`.
 * - `/sse/team/:teamId`: id is the seq. `/sse/global`: id is `<teamId>:<seq>` of every team, joined by commas.
 *   Send the last id back as `Last-Event-ID` (or `?lastEventId=`) to go on where the stream ended; without one, a
 *   stream starts at what happens next.
 * - `change` (data: Change).
 * - `ready` (data: StreamReady) is sent once after the replay, so that a page knows it is up to date;
 *   `/sse/global` sends it again when the person joined or left a team.
 * - `heartbeat` (data: `{}`) every 15 s; a client that hears nothing for two of them should connect again.
 * The server ends a stream when it stops, when a reader is too slow, when the token expires and when membership is lost.
 */
export const streamEvents = ["change", "ready", "heartbeat"] as const;
export type StreamEvent = (typeof streamEvents)[number];
export const heartbeatMs = 15_000;

export const StreamReady = z.object({
  /** Where each team of the stream stands now. */
  teams: z.record(z.uuid(), z.number().int().nonnegative()),
  /** The log no longer holds all that happened since the given id (trimmed, or restored from a backup): fetch afresh. */
  resync: z.boolean(),
});
export type StreamReady = z.infer<typeof StreamReady>;
