/** Who acted: a person, a CI job or an agent, and through which channel. Every event and decision has one. */
import { actorKinds } from "@devflow/core/enums";
import { z } from "zod";

const channels = ["cli", "web", "api", "engine", "sync"] as const;

export const Actor = z.object({
  userId: z.string().nullable(),
  kind: z.enum(actorKinds),
  via: z.enum(channels),
  /** Of a teammate on another server, whom nobody here may look up. */
  name: z.string().optional(),
});
export type Actor = z.infer<typeof Actor>;

/** The engine itself, on behalf of nobody. */
export const engineActor: Actor = { userId: null, kind: "ci", via: "engine" };
