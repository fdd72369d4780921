/** `server.json` (0600): the server that runs for a home, and the machine's token for it. */
import { z } from "zod";

export const ServerState = z.object({
  pid: z.number().int().positive(),
  /** Start time of the process as the system reports it, since a pid can be reused. */
  identity: z.string(),
  host: z.string(),
  port: z.number().int().positive(),
  token: z.string().min(32),
  version: z.string(),
  startedAt: z.iso.datetime(),
});
export type ServerState = z.infer<typeof ServerState>;
