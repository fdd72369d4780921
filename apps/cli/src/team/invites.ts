/** Invites: to make one, to list and to revoke those that nobody has used. */
import type { HandlerOf } from "@devflow/core/command";
import { MailedInvite, SignInWays, signInPaths } from "@devflow/protocol";
import { callRpc, callServer } from "../server/client.ts";
import { textTable } from "../text-table.ts";
import type { teamInviteRecord, teamInvitesRecord, teamUninviteRecord } from "./commands.ts";
import { pickById } from "./pick.ts";
import { requireTeamServer } from "./team-server-only.ts";
import { findTarget, type TeamTarget } from "./team-target.ts";

export const invite: HandlerOf<typeof teamInviteRecord> = async ({ email, role, days, ...choice }, context) => {
  const target = await findTarget(context, choice);
  requireTeamServer(target.server, "Inviting people");
  const { address, server, team } = target;
  if (email !== undefined && (await canMail(target))) {
    const sent = await callServer(address, "/auth/mailed-invite", MailedInvite, {
      method: "POST",
      body: { teamId: team.id, role, email },
      timeoutMs: 30_000,
    });
    context.output.result(
      { ...sent, role },
      `Sent an invite to ${sent.email}. It is valid until ${day(sent.expiresAt)}.`,
    );
    return;
  }
  const made = await callRpc(address, "create_invite", { team_id: team.id, role, days, ...(email ? { email } : {}) });
  const url = `${server}${signInPaths.invite}#token=${made.token}`;
  const text = [
    `This link lets one person into ${team.name} as ${role}, once, until ${day(made.expires_at)}:`,
    "",
    `  ${url}`,
    "",
    "url" in address && address.headers !== undefined
      ? "They run, in the repository: devflow sync setup <link>"
      : "They open it in a browser, or run: devflow sync setup <link>",
  ];
  context.output.result({ id: made.id, url, role, email: made.email, expiresAt: made.expires_at }, text.join("\n"));
};

export const listInvites: HandlerOf<typeof teamInvitesRecord> = async (choice, context) => {
  const { address, team } = await findTarget(context, choice);
  const invites = await callRpc(address, "list_invites", { team_id: team.id });
  const rows = invites.map((one) => [
    one.id.slice(0, 8),
    one.role,
    one.email ?? "",
    one.created_by_name,
    day(one.expires_at),
  ]);
  const columns = ["ID", "ROLE", "E-MAIL", "INVITED BY", "VALID UNTIL"].map((title) => ({ title }));
  const none = "Nobody is invited at the moment. Invite somebody: devflow team invite";
  context.output.result(invites, invites.length === 0 ? none : textTable(columns, rows));
};

export const uninvite: HandlerOf<typeof teamUninviteRecord> = async ({ id, ...choice }, context) => {
  const { address, team } = await findTarget(context, choice);
  const invites = await callRpc(address, "list_invites", { team_id: team.id });
  const found = pickById(invites, id, "invite", "devflow team invites");
  await callRpc(address, "revoke_invite", { team_id: team.id, invite_id: found.id });
  context.output.result({ id: found.id }, "The invite was revoked; its link no longer works.");
};

async function canMail({ address }: TeamTarget): Promise<boolean> {
  // A platform mails codes, and no invites.
  if ("url" in address && address.headers !== undefined) return false;
  return (await callServer(address, "/auth/ways", SignInWays)).email;
}

const day = (time: string): string => time.slice(0, 10);
