/**
 * How people come into being on a team server: by the setup link of a new server, or by an invite. Each is one transaction
 * with the sign-in it leads to, so that a crash leaves a link that still works, or a person who is in.
 *
 * - `offerSetup()` a new setup link's token while there is no team; the one before it stops working.
 * - `setUp(request)` the first person and their team; `lookAtInvite(token)`, `join(request)` by an invite.
 */
import type { Clock } from "@devflow/core/clock";
import { DevflowError } from "@devflow/core/errors";
import { uuidv7 } from "@devflow/core/ids";
import { plainText } from "@devflow/core/plain-text";
import type { Database, Transaction } from "@devflow/db";
import type { InviteLook } from "@devflow/protocol";
import { hashOf, newSecret } from "./one-time-secret.ts";
import type { OpenedSignIn, SignInKind, SignIns } from "./sign-ins.ts";

interface Newcomer {
  readonly token: string;
  readonly name: string;
  readonly email?: string | undefined;
  readonly kind: SignInKind;
  readonly label: string;
}

const setupHours = 24;

export function people(options: {
  readonly database: Pick<Database, "asEngine">;
  readonly clock: Clock;
  readonly signIns: Pick<SignIns, "open">;
}) {
  const { database, clock, signIns } = options;
  const at = (plusMs = 0) => new Date(clock.now() + plusMs).toISOString();

  async function addPerson(tx: Transaction, { name, email }: Newcomer): Promise<{ id: string; name: string }> {
    const person = { id: uuidv7(), name: plainText(name).trim() || "Somebody" };
    await tx`select app.ensure_user(${person.id}::uuid, ${person.name}, ${email ?? null})`;
    return person;
  }

  return {
    async offerSetup(): Promise<string | undefined> {
      const token = newSecret("dfo_");
      return await database.asEngine(async (tx) => {
        const [team] = await tx`select from app.teams limit 1`;
        if (team) return undefined;
        await tx`delete from app.one_time_links where purpose = 'setup'`;
        await tx`
          insert into app.one_time_links (purpose, token_hash, created_at, expires_at)
          values ('setup', decode(${hashOf(token)}, 'hex'), ${at()}, ${at(setupHours * 3600_000)})`;
        return token;
      });
    },

    async setUp(newcomer: Newcomer & { readonly team: string }): Promise<OpenedSignIn> {
      return await database.asEngine(async (tx) => {
        const [link] = await tx`
          delete from app.one_time_links where purpose = 'setup' and token_hash = decode(${hashOf(newcomer.token)}, 'hex')
            and expires_at > ${at()} returning id`;
        if (!link) throw linkUsed("setup link", "Restart the server: it prints a new one while there is no team.");
        const person = await addPerson(tx, newcomer);
        const opened = await signIns.open(tx, person, newcomer.kind, newcomer.label);
        // From here on as that person, so that the team is made as every other.
        const claims = JSON.stringify({ sub: person.id, role: "authenticated" });
        await tx`select set_config('role', 'authenticated', true), set_config('request.jwt.claims', ${claims}, true)`;
        await tx`select api.create_team(${newcomer.team})`;
        return opened;
      });
    },

    async lookAtInvite(token: string): Promise<InviteLook> {
      const [row] = await database.asEngine(
        (tx) => tx<(Omit<InviteLook, "expiresAt"> & { expiresAtMs: number })[]>`
          select t.name as team, i.role, u.name as "invitedBy", i.email,
            extract(epoch from i.expires_at)::float8 * 1000 as "expiresAtMs"
          from app.invites i join app.teams t on t.id = i.team_id join app.users u on u.id = i.created_by
          where i.token_hash = decode(${hashOf(token)}, 'hex') and i.used_at is null and i.expires_at > now()`,
      );
      if (!row) throw inviteUsed();
      const { expiresAtMs, ...rest } = row;
      return { ...rest, expiresAt: new Date(expiresAtMs).toISOString() };
    },

    async join(newcomer: Newcomer): Promise<OpenedSignIn & { readonly teamId: string; readonly isConfirmed: boolean }> {
      try {
        return await database.asEngine(async (tx) => {
          const person = await addPerson(tx, newcomer);
          const [team] = await tx<{ id: string }[]>`
            select id from app.take_invite(${newcomer.token}, ${person.id}::uuid)`;
          const isConfirmed = await confirmByInvite(tx, person.id, newcomer);
          const opened = await signIns.open(tx, person, newcomer.kind, newcomer.label);
          return { ...opened, teamId: team?.id ?? "", isConfirmed };
        });
      } catch (error) {
        if ((error as { code?: string }).code === "PT410") throw inviteUsed();
        throw error;
      }
    },
  };

  /** An invite that was only sent by mail proves the address it was sent to, unless that is somebody's already. */
  async function confirmByInvite(tx: Transaction, userId: string, { token, email }: Newcomer): Promise<boolean> {
    if (email === undefined) return false;
    const rows = await tx`
      update app.users u set email_confirmed_at = ${at()}
      from app.invites i
      where u.id = ${userId} and i.token_hash = decode(${hashOf(token)}, 'hex') and i.mailed
        and lower(i.email) = lower(u.email)
        and not exists (select from app.users o where lower(o.email) = lower(u.email) and o.email_confirmed_at is not null)
      returning u.id`;
    return rows.length > 0;
  }
}

export type People = ReturnType<typeof people>;

function inviteUsed(): DevflowError {
  return linkUsed("invite", "Ask an admin of the team for a new one.");
}

export function linkUsed(what: string, next: string): DevflowError {
  return new DevflowError("link_used", { details: { what, next } });
}
