/** A person's team. By itself, because every command that asks a server for its status would load the contracts of all its functions. */
import { z } from "zod";

export const teamRoles = ["owner", "admin", "member"] as const;
export type TeamRole = (typeof teamRoles)[number];

export const TeamRow = z.object({ id: z.uuid(), slug: z.string(), name: z.string(), role: z.enum(teamRoles) });
export type TeamRow = z.infer<typeof TeamRow>;
