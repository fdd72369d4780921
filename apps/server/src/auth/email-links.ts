/**
 * Links that work once and end in a sign-in or a confirmed address.
 *
 * - `forPerson(userId)` a link for another device of a person who has signed in.
 * - `mailSignIn(email)` sends a link, if somebody has confirmed that address; nobody can tell whether it did.
 * - `mailConfirmation(userId, email)` sends a link that proves the address; `confirm(token)` uses it.
 * - `signIn(token, …)` uses a sign-in link.
 */
import type { Clock } from "@devflow/core/clock";
import type { Database } from "@devflow/db";
import { signInPaths } from "@devflow/protocol";
import type { Mailer } from "./mail/mailer.ts";
import { hashOf, newSecret } from "./one-time-secret.ts";
import { linkUsed } from "./people.ts";
import type { OpenedSignIn, SignInKind, SignIns } from "./sign-ins.ts";

const minutes = { sign_in: 10, confirm_email: 24 * 60 } as const;
/** Of one person in ten minutes: nobody's mailbox is filled by somebody else. */
const maxPending = 3;

export function emailLinks(options: {
  readonly database: Pick<Database, "asEngine">;
  readonly clock: Clock;
  readonly signIns: Pick<SignIns, "open">;
  readonly publicUrl: string;
  /** Absent when no SMTP server is configured. */
  readonly mailer: Mailer | undefined;
}) {
  const { database, clock, signIns, publicUrl, mailer } = options;
  const at = (plusMs = 0) => new Date(clock.now() + plusMs).toISOString();

  /** Undefined when this person already has too many. */
  async function issue(purpose: keyof typeof minutes, userId: string, email: string | null) {
    const token = newSecret("dfl_");
    const expiresAt = at(minutes[purpose] * 60_000);
    const rows = await database.asEngine(async (tx) => {
      await tx`delete from app.one_time_links where expires_at < ${at()}`;
      // One after the other for one person, or each of them would count before the others have inserted.
      await tx`select from app.users where id = ${userId}::uuid for no key update`;
      return await tx`
        insert into app.one_time_links (purpose, user_id, email, token_hash, created_at, expires_at)
        select ${purpose}, ${userId}::uuid, ${email}, decode(${hashOf(token)}, 'hex'), ${at()}, ${expiresAt}
        where (select count(*) from app.one_time_links
               where user_id = ${userId}::uuid and created_at > ${at(-10 * 60_000)}) < ${maxPending}
        returning id`;
    });
    const path = purpose === "sign_in" ? signInPaths.link : signInPaths.confirm;
    return rows.length > 0 ? { url: `${publicUrl}${path}#token=${token}`, expiresAt } : undefined;
  }

  return {
    forPerson: (userId: string) => issue("sign_in", userId, null),

    async mailSignIn(email: string): Promise<void> {
      if (!mailer) return;
      const [person] = await database.asEngine(
        (tx) => tx<{ id: string; email: string }[]>`
          select id, email from app.users
          where lower(email) = lower(${email}) and email_confirmed_at is not null and erased_at is null`,
      );
      const link = person && (await issue("sign_in", person.id, person.email));
      if (!link) return;
      await mailer.send({
        to: person.email,
        subject: "Sign in to Devflow",
        text: `Open this link to sign in. It works once, for ${minutes.sign_in} minutes.\n\n${link.url}\n\nIf you did not ask for it, ignore this message.\n`,
      });
    },

    async mailConfirmation(userId: string, email: string): Promise<void> {
      const link = mailer && (await issue("confirm_email", userId, email));
      if (!link) return;
      await mailer.send({
        to: email,
        subject: "Confirm your address for Devflow",
        text: `Open this link to confirm that this is your address. Later you can sign in with it.\n\n${link.url}\n\nIf you do not know Devflow, ignore this message.\n`,
      });
    },

    async confirm(token: string): Promise<void> {
      const rows = await database.asEngine(async (tx) => {
        const [link] = await tx<{ user_id: string; email: string }[]>`
          delete from app.one_time_links where purpose = 'confirm_email' and expires_at > ${at()}
            and token_hash = decode(${hashOf(token)}, 'hex') returning user_id, email`;
        if (!link) return [];
        // Not when the person has another address by now, nor when it is somebody else's confirmed one.
        return await tx`
          update app.users u set email_confirmed_at = ${at()}
          where u.id = ${link.user_id} and lower(u.email) = lower(${link.email}) and not exists (
            select from app.users o where o.id <> u.id and lower(o.email) = lower(u.email) and o.email_confirmed_at is not null)
          returning u.id`;
      });
      if (rows.length === 0) throw linkUsed("link", "Ask for a new one where you have signed in.");
    },

    async signIn(token: string, kind: SignInKind, label: string): Promise<OpenedSignIn> {
      const opened = await database.asEngine(async (tx) => {
        const [person] = await tx<{ id: string; name: string }[]>`
          delete from app.one_time_links l using app.users u
          where l.purpose = 'sign_in' and l.token_hash = decode(${hashOf(token)}, 'hex') and l.expires_at > ${at()}
            and u.id = l.user_id and u.erased_at is null returning u.id, u.name`;
        return person && (await signIns.open(tx, { id: person.id, name: person.name }, kind, label));
      });
      if (!opened) throw linkUsed("sign-in link", "Ask for a new one.");
      return opened;
    },
  };
}

export type EmailLinks = ReturnType<typeof emailLinks>;
