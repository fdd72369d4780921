/**
 * What a person who has signed in to a team server may do about signing in: approve a terminal, get a link for another
 * device, mail an invite, sign out everywhere.
 */
import type { Clock } from "@devflow/core/clock";
import { DevflowError } from "@devflow/core/errors";
import type { Database } from "@devflow/db";
import { DeviceDecision, DeviceLookRequest, MailedInviteRequest, signInPaths } from "@devflow/protocol";
import { Hono } from "hono";
import { refusalOf } from "../data-plane/failure.ts";
import { privateAnswer } from "../request-checks/security-headers.ts";
import type { ServerEnv } from "../server-env.ts";
import { attemptLimit } from "./attempt-limit.ts";
import type { DeviceRequests } from "./device-requests.ts";
import type { EmailLinks } from "./email-links.ts";
import type { Caller } from "./identify-caller.ts";
import type { Mailer } from "./mail/mailer.ts";
import { readJson } from "./read-json.ts";
import type { SignIns } from "./sign-ins.ts";

export interface MemberRoutesOptions {
  readonly database: Pick<Database, "withClaims" | "asEngine">;
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly devices: Pick<DeviceRequests, "look" | "decide">;
  readonly links: Pick<EmailLinks, "forPerson">;
  readonly signIns: Pick<SignIns, "endAll">;
  readonly mailer: Mailer | undefined;
  /** An invite is in the change log. */
  readonly wrote: (teamId: string) => void;
}

export function memberRoutes(options: MemberRoutesOptions): Hono<ServerEnv> {
  const { database, clock, publicUrl, devices, links, signIns, mailer, wrote } = options;
  const wrongCodes = attemptLimit(clock);

  const found = async <T>(userId: string, search: Promise<T>): Promise<NonNullable<T>> => {
    const result = await search;
    if (result) return result;
    wrongCodes.count(userId);
    throw new DevflowError("not_found", {
      details: { what: "A terminal that waits with this code", next: "Start again there: devflow sync setup" },
    });
  };

  return new Hono<ServerEnv>()
    .use(async (c, next) => {
      requirePerson(c.var.caller);
      await next();
    })
    .post("/device/look", async (c) => {
      const { sub } = c.var.caller.claims;
      const { code } = await readJson(c.req.raw, DeviceLookRequest);
      wrongCodes.check(sub);
      return answer(await found(sub, devices.look(code)));
    })
    .post("/device/decide", async (c) => {
      const { sub } = c.var.caller.claims;
      const { code, decision } = await readJson(c.req.raw, DeviceDecision);
      wrongCodes.check(sub);
      await found(sub, devices.decide(code, { id: sub }, decision));
      return answer({ ok: true });
    })
    .post("/link", async (c) => {
      const link = await links.forPerson(c.var.caller.claims.sub);
      if (!link) throw new DevflowError("too_many_attempts");
      return answer(link);
    })
    .post("/sign-out-everywhere", async (c) => {
      await signIns.endAll(c.var.caller.claims.sub);
      return answer({ ok: true });
    })
    .post("/mailed-invite", async (c) => {
      const { teamId, role, email } = await readJson(c.req.raw, MailedInviteRequest);
      if (!mailer) {
        throw new DevflowError("conflict", {
          details: { problem: "This server cannot send mail.", next: "Make a link instead: devflow team invite" },
        });
      }
      const { claims } = c.var.caller;
      const invite = await database
        .withClaims(claims, async (tx) => {
          const [made] = await tx<{ id: string; token: string; expiresAtMs: number; team: string }[]>`
            select i.id, i.token, extract(epoch from i.expires_at)::float8 * 1000 as "expiresAtMs", t.name as team
            from api.create_invite(${teamId}::uuid, ${role}, ${email}) i, app.teams t where t.id = ${teamId}::uuid`;
          return made;
        })
        .catch((error: unknown) => {
          throw refusalOf(error, claims.role) ?? error;
        });
      if (!invite)
        throw new DevflowError("internal_state_corruption", { details: { problem: "an invite without a row" } });
      await mailer.send({
        to: email,
        subject: `Join ${invite.team} on Devflow`,
        text: `You are invited to the team ${invite.team}. Open this link to join; it works once, for a week.\n\n${publicUrl}${signInPaths.invite}#token=${invite.token}\n`,
      });
      await database.asEngine((tx) => tx`update app.invites set mailed = true where id = ${invite.id}`);
      wrote(teamId);
      return answer({ id: invite.id, email, expiresAt: new Date(invite.expiresAtMs).toISOString() });
    });
}

/** A token of CI has a scope for data, and none for people and sign-ins. */
function requirePerson({ claims }: Caller): void {
  if (claims.scope?.split(" ").includes("manage") && claims.team === undefined) return;
  throw new DevflowError("forbidden", {
    details: { problem: "Only a person who has signed in may do this.", next: "Sign in: devflow sync setup" },
  });
}

function answer(body: object): Response {
  return Response.json(body, { headers: privateAnswer });
}
