/** Sign-in on this machine: a one-time code is exchanged for a tab's token, a machine token for a short-lived JWT. */
import { z } from "zod";

/** `POST /auth/code`, with the machine's token: creates a code for `devflow open`. */
export const CodeRequest = z.object({ forMinutes: z.number().int().min(1).max(10).default(1) });
export const CodeIssued = z.object({ code: z.string(), expiresAt: z.iso.datetime() });

/** `POST /auth/exchange`, without a token: exchanges a code for the tab's own token. A code works once. */
export const ExchangeRequest = z.object({ code: z.string().min(1).max(200) });
export const ExchangeAnswer = z.object({
  token: z.string(),
  expiresAt: z.iso.datetime(),
  user: z.object({ id: z.uuid(), name: z.string() }),
});

/** `POST /auth/token`: a JWT, valid for ten minutes, for data-plane clients such as supabase-js. */
export const TokenAnswer = z.object({
  access_token: z.string(),
  token_type: z.literal("bearer"),
  expires_in: z.number().int(),
});

/** The claims of every Devflow JWT. `sub` is the person, `role` the database role the request runs as. */
export const Claims = z.object({
  sub: z.uuid(),
  role: z.enum(["anon", "authenticated"]),
  aud: z.literal("devflow"),
  iss: z.string(),
  exp: z.number().int(),
  iat: z.number().int(),
  /** What the token was issued for: a browser tab (30 days) or a data-plane client (10 minutes; cannot be used to renew itself). */
  use: z.enum(["tab", "data"]).optional(),
  /** Scopes, separated by spaces. Without them the token stands for everything the person may do. */
  scope: z.string().optional(),
  /** The only team the token may be used for. */
  team: z.uuid().optional(),
  jti: z.string().optional(),
});
export type Claims = z.infer<typeof Claims>;
