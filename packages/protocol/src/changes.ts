/** The ordered log of a team, as sent by `/sse/team/:teamId`, `/sse/global` and `api.changes`. */
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
 *   Send the last id back as `Last-Event-ID` (or `?lastEventId=`) to resume after it; without one, a stream starts with
 *   the next change.
 * - `change` (data: Change).
 * - `ready` (data: StreamReady) is sent once after the replay, when the client is up to date;
 *   `/sse/global` sends it again when the person joins or leaves a team.
 * - `heartbeat` (data: `{}`) every 15 s; a client that receives nothing for two intervals should reconnect.
 * The server closes a stream when it shuts down, when a client reads too slowly, when the token expires and when membership ends.
 */
export const streamEvents = ["change", "ready", "heartbeat"] as const;
export type StreamEvent = (typeof streamEvents)[number];
export const heartbeatMs = 15_000;

export const StreamReady = z.object({
  /** The newest sequence number of each team. */
  teams: z.record(z.uuid(), z.number().int().nonnegative()),
  /** The log no longer has all changes since the given id (it was trimmed, or restored from a backup): discard and fetch again. */
  resync: z.boolean(),
});
export type StreamReady = z.infer<typeof StreamReady>;
