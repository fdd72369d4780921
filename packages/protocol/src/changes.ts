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
 * Events of the streams. Each frame is `event: <name>`, `data: <json>`; only `change` carries an `id:`.
 * - `/sse/team/:teamId`: id is the seq. `/sse/global`: id is `<teamId>:<seq>` of every team, joined by commas.
 * - `ready` is sent once after the replay, so that a page knows it is up to date.
 * - `heartbeat` every 15 s.
 */
export const streamEvents = ["change", "ready", "heartbeat"] as const;
export type StreamEvent = (typeof streamEvents)[number];
export const heartbeatMs = 15_000;
