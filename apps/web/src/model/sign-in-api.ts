/** The routes of signing in to a team server; see the protocol's contracts. */
import {
  DeviceLook,
  Done,
  Grant,
  InviteLook,
  MailedInvite,
  SignInLink,
  SignInWays,
  type TeamRole,
} from "@devflow/protocol";
import type { z } from "zod";

interface Transport {
  get<T>(path: string, schema: z.ZodType<T>): Promise<T>;
  post<T>(path: string, body: unknown, schema: z.ZodType<T>): Promise<T>;
  /** With the tab's access token. */
  postAsPerson<T>(path: string, body: unknown, schema: z.ZodType<T>): Promise<T>;
}

export type SignInApi = ReturnType<typeof createSignInApi>;

export function createSignInApi({ get, post, postAsPerson }: Transport) {
  return {
    ways: () => get("/auth/ways", SignInWays),
    /** `session` is the secret of a tab on a server without TLS; otherwise the browser sends its cookie. */
    renew: (session: string | undefined) => post("/auth/session/token", { session }, Grant),
    end: (session: string | undefined) => post("/auth/session/end", { session }, Done),
    setUp: (asked: { token: string; name: string; team: string; email?: string }) =>
      post("/auth/session/setup", asked, Grant),
    join: (asked: { token: string; name: string; email?: string }) => post("/auth/session/invite", asked, Grant),
    byLink: (token: string) => post("/auth/session/link", { token }, Grant),
    lookAtInvite: (token: string) => post("/auth/invite/look", { token }, InviteLook),
    mailLink: (email: string) => post("/auth/email", { email }, Done),
    confirmEmail: (token: string) => post("/auth/email/confirm", { token }, Done),
    lookAtDevice: (code: string) => postAsPerson("/auth/device/look", { code }, DeviceLook),
    decideDevice: (code: string, decision: "approved" | "denied") =>
      postAsPerson("/auth/device/decide", { code, decision }, Done),
    link: () => postAsPerson("/auth/link", {}, SignInLink),
    endEverywhere: () => postAsPerson("/auth/sign-out-everywhere", {}, Done),
    mailInvite: (asked: { teamId: string; role: TeamRole; email: string }) =>
      postAsPerson("/auth/mailed-invite", asked, MailedInvite),
  };
}
