/**
 * JWTs signed with the server's key (HS256), so that they survive its restart.
 *
 * - `issue(kind, userId, limits)` a tab's token of 30 days, or an access token of 10 minutes; `limits` are its scopes and
 *   the only team it may be used for.
 * - `verify(token)` its claims, or why it is refused. Algorithm, issuer, audience, expiry, role and shape are checked.
 */
import { randomUUID } from "node:crypto";
import type { Clock } from "@devflow/core/clock";
import { Claims } from "@devflow/protocol";

export const tokenKinds = { tab: { lifetimeS: 30 * 24 * 3600 }, data: { lifetimeS: 600 } } as const;
export type TokenKind = keyof typeof tokenKinds;

/** Of the local server; a team server signs with its own address. */
export const issuer = "devflow-local";
export const audience = "devflow";

/** All that a person may do; personal access tokens have the first, or the first two. */
export const personScope = "read write manage";

export interface TokenLimits {
  readonly scope: string;
  readonly team?: string;
}

export interface IssuedToken {
  readonly token: string;
  readonly expiresAt: string;
  readonly lifetimeS: number;
}

export type Verification =
  | { readonly ok: true; readonly claims: Claims }
  | { readonly ok: false; readonly reason: "expired" | "invalid" };

export interface Tokens {
  issue(kind: TokenKind, userId: string, limits?: TokenLimits): Promise<IssuedToken>;
  verify(token: string): Promise<Verification>;
}

/** Longer than any token we issue; refused before any computation. */
const maxTokenLength = 4096;

/** Only tabs and data-plane clients have JWTs; the command line uses the machine's token, and a server without others stays light. */
const jose = () => import("jose");

export function signedTokens(signingKey: Uint8Array, clock: Clock, issuedBy: string = issuer): Tokens {
  return {
    async issue(kind, userId, limits) {
      const issuedAt = Math.floor(clock.now() / 1000);
      const { lifetimeS } = tokenKinds[kind];
      const { SignJWT } = await jose();
      const token = await new SignJWT({ role: "authenticated", use: kind, jti: randomUUID(), ...limits })
        .setProtectedHeader({ alg: "HS256", typ: "JWT" })
        .setSubject(userId)
        .setIssuer(issuedBy)
        .setAudience(audience)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + lifetimeS)
        .sign(signingKey);
      return { token, expiresAt: new Date((issuedAt + lifetimeS) * 1000).toISOString(), lifetimeS };
    },
    async verify(token) {
      if (token.length > maxTokenLength) return { ok: false, reason: "invalid" };
      const { errors, jwtVerify } = await jose();
      try {
        const { payload } = await jwtVerify(token, signingKey, {
          algorithms: ["HS256"],
          issuer: issuedBy,
          audience,
          currentDate: new Date(clock.now()),
          requiredClaims: ["exp", "iat", "sub"],
        });
        const claims = Claims.safeParse(payload);
        return claims.success ? { ok: true, claims: claims.data } : { ok: false, reason: "invalid" };
      } catch (error) {
        return { ok: false, reason: error instanceof errors.JWTExpired ? "expired" : "invalid" };
      }
    },
  };
}
