/**
 * The tokens of local mode: JWTs signed with this machine's key (HS256), so that they survive a restart of the server.
 *
 * - `issue(kind, userId)` a tab's token of 30 days, or a data-plane token of 10 minutes.
 * - `verify(token)` its claims, or why it is refused. Algorithm, issuer, audience, expiry, role and shape are checked.
 */
import type { Clock } from "@devflow/core/clock";
import { Claims } from "@devflow/protocol";

export const tokenKinds = { tab: { lifetimeS: 30 * 24 * 3600 }, data: { lifetimeS: 600 } } as const;
export type TokenKind = keyof typeof tokenKinds;

export const issuer = "devflow-local";
export const audience = "devflow";

export interface IssuedToken {
  readonly token: string;
  readonly expiresAt: string;
  readonly lifetimeS: number;
}

export type Verification =
  | { readonly ok: true; readonly claims: Claims }
  | { readonly ok: false; readonly reason: "expired" | "invalid" };

export interface Tokens {
  issue(kind: TokenKind, userId: string): Promise<IssuedToken>;
  verify(token: string): Promise<Verification>;
}

/** Longer than any token we issue; refused before any computation. */
const maxTokenLength = 4096;

/** Only tabs and data-plane clients have JWTs; the command line uses the machine's token, and a server without others stays light. */
const jose = () => import("jose");

export function localTokens(signingKey: Uint8Array, clock: Clock): Tokens {
  return {
    async issue(kind, userId) {
      const issuedAt = Math.floor(clock.now() / 1000);
      const { lifetimeS } = tokenKinds[kind];
      const { SignJWT } = await jose();
      const token = await new SignJWT({ role: "authenticated", use: kind })
        .setProtectedHeader({ alg: "HS256", typ: "JWT" })
        .setSubject(userId)
        .setIssuer(issuer)
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
          issuer,
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
