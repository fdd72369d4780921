/**
 * Signing in to a team server. The two OAuth routes answer as their RFCs say (6749, 8628, 8693), failures included, so that
 * any OAuth client works; the others are for the web app and the command line.
 */
import { z } from "zod";
import { teamRoles } from "./team-row.ts";

/** Fragments of the web app's addresses: a browser sends them to no server, and no proxy logs them. */
export const signInPaths = {
  setup: "/setup",
  invite: "/invite",
  link: "/sign-in",
  confirm: "/confirm",
  device: "/device",
} as const;

/** `GET /auth/ways`: what a page has to know before anybody has signed in. */
export const SignInWays = z.object({
  mode: z.enum(["local", "team"]),
  /** Whether this server can send a sign-in link by e-mail. */
  email: z.boolean(),
});
export type SignInWays = z.infer<typeof SignInWays>;

/** `POST /auth/oauth/device`. */
export const DeviceAnswer = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.url(),
  verification_uri_complete: z.url(),
  expires_in: z.number().int(),
  interval: z.number().int(),
});
export type DeviceAnswer = z.infer<typeof DeviceAnswer>;

export const grantTypes = {
  device: "urn:ietf:params:oauth:grant-type:device_code",
  refresh: "refresh_token",
  /** A personal access token for an access token of ten minutes. */
  exchange: "urn:ietf:params:oauth:grant-type:token-exchange",
} as const;
export const accessTokenType = "urn:ietf:params:oauth:token-type:access_token";

/** `POST /auth/oauth/token`, and every way of signing in. */
export const Grant = z.object({
  access_token: z.string(),
  token_type: z.literal("bearer"),
  expires_in: z.number().int(),
  scope: z.string(),
  /** For terminals; a browser keeps a cookie instead. */
  refresh_token: z.string().optional(),
  issued_token_type: z.literal(accessTokenType).optional(),
  user: z.object({ id: z.uuid(), name: z.string() }),
});
export type Grant = z.infer<typeof Grant>;

/** The errors of RFC 6749 and 8628 that these routes answer. */
const oauthErrors = [
  "invalid_request",
  "invalid_grant",
  "unsupported_grant_type",
  "authorization_pending",
  "slow_down",
  "access_denied",
  "expired_token",
  "temporarily_unavailable",
] as const;
/** The description of `invalid_grant` when a sign-in has ended because its person was removed from their last team. */
export const notAMember = "not_a_member";

export const OAuthFailure = z.object({ error: z.enum(oauthErrors), error_description: z.string().optional() });
export type OAuthFailure = z.infer<typeof OAuthFailure>;

const Secret = z.string().min(1).max(300);
const Name = z.string().trim().min(1).max(200);
const Email = z.email().max(320);

/** A terminal names itself and gets a refresh token; without the name, the caller is a browser. */
const Signing = z.object({ terminal: z.string().min(1).max(200).optional() });

/** `POST /auth/session/setup`: the first person of a new server, and their team. */
export const SetupRequest = Signing.extend({ token: Secret, name: Name, team: Name, email: Email.optional() });
/** `POST /auth/session/invite`: a new person joins a team. */
export const InviteRequest = Signing.extend({ token: Secret, name: Name, email: Email.optional() });
/** `POST /auth/session/link`: by a link from an e-mail or from another device. */
export const LinkRequest = Signing.extend({ token: Secret });
/** `POST /auth/session/token`, `POST /auth/session/end`: a browser, by its cookie or the secret that its tab keeps. */
export const SessionRequest = z.object({ session: Secret.optional() });

/** `POST /auth/invite/look`: what an invite is for; it stays valid. */
export const InviteLookRequest = z.object({ token: Secret });
export const InviteLook = z.object({
  team: z.string(),
  role: z.enum(teamRoles),
  invitedBy: z.string(),
  email: z.string().nullable(),
  expiresAt: z.iso.datetime(),
});
export type InviteLook = z.infer<typeof InviteLook>;

/** `POST /auth/email`: sends a link, if somebody here has confirmed that address; the answer is always the same. */
export const EmailRequest = z.object({ email: Email });
/** `POST /auth/email/confirm`. */
export const ConfirmRequest = z.object({ token: Secret });
export const Done = z.object({ ok: z.literal(true) });

/** `POST /auth/device/look`, by a person who has signed in: which terminal shows this code. */
export const DeviceLookRequest = z.object({ code: z.string().min(1).max(50) });
export const DeviceLook = z.object({ code: z.string(), terminal: z.string(), startedAt: z.iso.datetime() });
export type DeviceLook = z.infer<typeof DeviceLook>;
/** `POST /auth/device/decide`. */
export const DeviceDecision = DeviceLookRequest.extend({ decision: z.enum(["approved", "denied"]) });

/** `POST /auth/link`: a link that signs this person in on another device, once. */
export const SignInLink = z.object({ url: z.url(), expiresAt: z.iso.datetime() });

/** `POST /auth/mailed-invite`: an invite that goes to its address and to nobody else. */
export const MailedInviteRequest = z.object({ teamId: z.uuid(), role: z.enum(teamRoles), email: Email });
export const MailedInvite = z.object({ id: z.uuid(), email: z.string(), expiresAt: z.iso.datetime() });
