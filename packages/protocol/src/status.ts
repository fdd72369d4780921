/** The status of a server: `/health` for anyone, `/api/status` with a token. */
import { z } from "zod";
import { TeamRow } from "./team-row.ts";

/** `problems`: how many things are wrong that do not stop it; absent when there is none. What they are is for members. */
export const Health = z.object({ ok: z.literal(true), problems: z.number().int().positive().optional() });

export const ServerStatus = z.object({
  version: z.string(),
  mode: z.enum(["local", "team"]),
  startedAt: z.iso.datetime(),
  runtime: z.object({ name: z.string(), version: z.string(), platform: z.string() }),
  postgres: z.object({
    kind: z.enum(["embedded", "system", "external"]),
    version: z.string(),
    /** Durability settings; outside of tests anything but `on` is a fault. */
    fsync: z.string(),
    synchronousCommit: z.string(),
    fullPageWrites: z.string(),
  }),
  migrations: z.object({ applied: z.number().int(), latest: z.string() }),
  live: z.object({ subscribers: z.number().int() }),
  /** What a restart would interrupt, in words; empty when idle. */
  busy: z.array(z.string()).default([]),
  /** What is wrong and does not stop the server, in words: a template that is not valid, for example. */
  problems: z.array(z.string()).default([]),
  user: z.object({ id: z.uuid(), name: z.string() }),
  teams: z.array(TeamRow),
});
export type ServerStatus = z.infer<typeof ServerStatus>;

/** A command record, reduced to what the web app's palette needs. */
export const CommandSummary = z.object({
  name: z.string(),
  summary: z.string(),
  category: z.string(),
  effect: z.enum(["read", "write", "meta"]),
  usage: z.string(),
});
export type CommandSummary = z.infer<typeof CommandSummary>;
export const CommandList = z.object({ commands: z.array(CommandSummary) });
