/**
 * Signing in to a team server without a token, by something that proves who it is: `/auth/session`, `/auth/invite`,
 * `/auth/email`. A terminal gets a refresh token; a browser gets a cookie, or without TLS (only on this machine) the secret
 * itself, for the storage of its tab.
 */
import { bestEffort } from "@devflow/core/best-effort";
import { DevflowError } from "@devflow/core/errors";
import type { Log } from "@devflow/core/log";
import {
  ConfirmRequest,
  EmailRequest,
  type Grant,
  InviteLookRequest,
  InviteRequest,
  LinkRequest,
  SessionRequest,
  SetupRequest,
} from "@devflow/protocol";
import { Hono } from "hono";
import { privateAnswer } from "../request-checks/security-headers.ts";
import type { ServerEnv } from "../server-env.ts";
import type { EmailLinks } from "./email-links.ts";
import { labelOf } from "./label.ts";
import type { People } from "./people.ts";
import { readJson } from "./read-json.ts";
import { clearedCookie, sessionCookie, sessionOf } from "./session-cookie.ts";
import type { OpenedSignIn, SignInKind, SignIns } from "./sign-ins.ts";

export interface SessionRoutesOptions {
  readonly people: Pick<People, "setUp" | "lookAtInvite" | "join">;
  readonly links: Pick<EmailLinks, "signIn" | "mailSignIn" | "mailConfirmation" | "confirm">;
  readonly signIns: Pick<SignIns, "refresh" | "end" | "grantOf">;
  /** True over TLS. */
  readonly cookies: boolean;
  readonly log: Log;
  /** A new member is in the change log. */
  readonly wrote: (teamId: string) => void;
}

export function sessionRoutes({ people, links, signIns, cookies, log, wrote }: SessionRoutesOptions): Hono<ServerEnv> {
  async function signedIn(opened: OpenedSignIn, kind: SignInKind): Promise<Response> {
    const grant = await signIns.grantOf(opened);
    if (kind === "terminal" || !cookies) return answer({ ...grant, refresh_token: opened.secret });
    return answer(grant, { "set-cookie": sessionCookie(opened.secret) });
  }

  const session = new Hono<ServerEnv>()
    .post("/setup", async (c) => {
      const { terminal, ...asked } = await readJson(c.req.raw, SetupRequest);
      const who = callerOf(c.req.raw, terminal);
      const opened = await people.setUp({ ...asked, ...who });
      if (asked.email)
        void bestEffort("send a confirmation", log, () => links.mailConfirmation(opened.user.id, asked.email ?? ""));
      return signedIn(opened, who.kind);
    })
    .post("/invite", async (c) => {
      const { terminal, ...asked } = await readJson(c.req.raw, InviteRequest);
      const who = callerOf(c.req.raw, terminal);
      const opened = await people.join({ ...asked, ...who });
      wrote(opened.teamId);
      if (asked.email && !opened.isConfirmed) {
        void bestEffort("send a confirmation", log, () => links.mailConfirmation(opened.user.id, asked.email ?? ""));
      }
      return signedIn(opened, who.kind);
    })
    .post("/link", async (c) => {
      const { terminal, token } = await readJson(c.req.raw, LinkRequest);
      const { kind, label } = callerOf(c.req.raw, terminal);
      return signedIn(await links.signIn(token, kind, label), kind);
    })
    .post("/token", async (c) => {
      const secret = await sessionSecret(c.req.raw);
      const used = secret && (await signIns.refresh(secret, "web"));
      if (used && used !== "removed")
        return answer(used.grant, cookies ? { "set-cookie": sessionCookie(used.secret) } : {});
      return answer({ error: "signed out" }, cookies ? { "set-cookie": clearedCookie } : {}, 401);
    })
    .post("/end", async (c) => {
      const secret = await sessionSecret(c.req.raw);
      if (secret) await signIns.end(secret);
      return answer({ ok: true }, cookies ? { "set-cookie": clearedCookie } : {});
    });

  const email = new Hono<ServerEnv>()
    .post("/", async (c) => {
      const { email } = await readJson(c.req.raw, EmailRequest);
      // In the background: the time of the answer must not tell whether somebody here has this address.
      void bestEffort("send a sign-in link", log, () => links.mailSignIn(email));
      return answer({ ok: true }, {}, 202);
    })
    .post("/confirm", async (c) => {
      await links.confirm((await readJson(c.req.raw, ConfirmRequest)).token);
      return answer({ ok: true });
    });

  return new Hono<ServerEnv>()
    .route("/session", session)
    .route("/email", email)
    .post("/invite/look", async (c) =>
      answer(await people.lookAtInvite((await readJson(c.req.raw, InviteLookRequest)).token)),
    );

  /** From the cookie or the body, and only from our own page: a form on another site cannot send this header. */
  async function sessionSecret(request: Request): Promise<string | undefined> {
    if (request.headers.get("x-devflow-via") !== "web") {
      throw new DevflowError("forbidden", { details: { problem: "This route is for the web app.", next: "" } });
    }
    const { session } = await readJson(request, SessionRequest);
    return cookies ? sessionOf(request.headers.get("cookie")) : session;
  }
}

function callerOf(request: Request, terminal: string | undefined): { kind: SignInKind; label: string } {
  if (terminal !== undefined) return { kind: "terminal", label: labelOf(terminal, "a terminal") };
  return { kind: "web", label: labelOf(browserOf(request.headers.get("user-agent") ?? ""), "a browser") };
}

/** Enough to tell one's phone from one's laptop. */
function browserOf(userAgent: string): string {
  const browser = /(Firefox|Edg|OPR|Chrome|Safari)\//.exec(userAgent)?.[1] ?? "a browser";
  const system = /(Android|iPhone|iPad|Mac OS X|Windows|Linux)/.exec(userAgent)?.[1];
  return system ? `${browser.replace("Edg", "Edge").replace("OPR", "Opera")} on ${system}` : browser;
}

function answer(body: Grant | object, headers: Readonly<Record<string, string>> = {}, status = 200): Response {
  return Response.json(body, { status, headers: { ...privateAnswer, ...headers } });
}
