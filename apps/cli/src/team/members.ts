/** The members of a team. */
import type { CommandContext, HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { callRpc } from "../server/client.ts";
import { textTable } from "../text-table.ts";
import type { teamEraseRecord, teamMembersRecord, teamRemoveRecord, teamRoleRecord } from "./commands.ts";
import { pickMember } from "./pick.ts";
import { findTarget, type TeamChoice } from "./team-target.ts";

export const listMembers: HandlerOf<typeof teamMembersRecord> = async (choice, context) => {
  const { address, team } = await findTarget(context, choice);
  const members = await callRpc(address, "team_members", { team_id: team.id });
  const rows = members.map((one) => [one.name, one.role, one.email ?? "", one.joined_at.slice(0, 10)]);
  const columns = ["NAME", "ROLE", "E-MAIL", "SINCE"].map((title) => ({ title }));
  context.output.result(members, textTable(columns, rows));
};

export const setRole: HandlerOf<typeof teamRoleRecord> = async ({ member, role, ...choice }, context) => {
  const { address, team, found } = await findMember(context, choice, member);
  await callRpc(address, "set_role", { team_id: team.id, user_id: found.user_id, role });
  context.output.result(
    { ...found, role },
    `${found.name} is now ${role === "member" ? "a" : "an"} ${role} of ${team.name}.`,
  );
};

export const removeMember: HandlerOf<typeof teamRemoveRecord> = async ({ member, ...choice }, context) => {
  const { address, team, found } = await findMember(context, choice, member);
  await callRpc(address, "remove_member", { team_id: team.id, user_id: found.user_id });
  context.output.result({ user_id: found.user_id }, `${found.name} is no longer a member of ${team.name}.`);
};

export const eraseMember: HandlerOf<typeof teamEraseRecord> = async ({ member, yes, ...choice }, context) => {
  const { address, team, found } = await findMember(context, choice, member);
  if (!yes) {
    throw new DevflowError("usage", {
      details: {
        problem: `This erases ${found.name} and everything ${team.name} holds about them, for ever.`,
        next: `If you mean it: devflow team erase ${found.user_id} --yes`,
      },
    });
  }
  await callRpc(address, "erase_member", { team_id: team.id, user_id: found.user_id });
  context.output.result({ user_id: found.user_id }, `${found.name} was erased from ${team.name}.`);
};

async function findMember(context: CommandContext, choice: TeamChoice, given: string) {
  const target = await findTarget(context, choice);
  const members = await callRpc(target.address, "team_members", { team_id: target.team.id });
  return { ...target, found: pickMember(members, given) };
}
