/** The machines that drive runs, and how they stand. */
import { engineNames, hostStates } from "@devflow/core/enums";
import { z } from "zod";

const engineStates = ["connecting", "connected", "unreachable", "namespace_missing", "refused"] as const;

/** How a worker stands with Temporal. */
export const EngineState = z.object({ kind: z.enum(engineStates), message: z.string(), since: z.string() });
export type EngineState = z.infer<typeof EngineState>;

/** One machine of the fleet. */
export const HostView = z.object({
  host: z.string(),
  name: z.string(),
  state: z.enum(hostStates),
  version: z.string(),
  labels: z.array(z.string()),
  /** Backends that it can drive. */
  agents: z.array(z.string()),
  repositories: z.array(z.string()),
  places: z.number().int(),
  /** Runs at work there. */
  busy: z.number().int(),
  engine: EngineState.nullable(),
  announcedAt: z.string(),
  /** Milliseconds since its last beat, by the clock of Postgres. */
  silentMs: z.number(),
});
export type HostView = z.infer<typeof HostView>;

/** `GET /api/fleet`. */
export const Fleet = z.object({
  /** The engine of this server's new runs. */
  engine: z.enum(engineNames),
  /** This server's own machine. */
  host: z.string(),
  hosts: z.array(HostView),
  /** Since when a change waits to be told to Temporal; null while all were told. */
  waitingSince: z.string().nullable(),
  /** What is wrong, as text. */
  problems: z.array(z.string()),
});
export type Fleet = z.infer<typeof Fleet>;

/** `POST /api/fleet/:host/{drain,remove}`. */
export const HostRequest = z.object({ undo: z.boolean().default(false) });
