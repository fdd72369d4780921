import type { HandlerOf } from "@devflow/core/command";
import { callRpc } from "../server/client.ts";
import type { teamCreateRecord } from "./commands.ts";
import { findServerOf } from "./team-target.ts";

export const createTeam: HandlerOf<typeof teamCreateRecord> = async ({ name, server: given }, context) => {
  const { address, server } = await findServerOf(context, { server: given });
  const team = await callRpc(address, "create_team", { name });
  context.output.result(
    { ...team, server },
    `Created the team ${team.name} (${team.slug}). Invite somebody: devflow team invite --team ${team.slug}`,
  );
};
