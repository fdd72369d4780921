/**
 * Identifies the sender of a request: the owner of the bearer token, compared in constant time for the machine's token and
 * from a cache of verified tokens otherwise, so that a warm request verifies no signature.
 *
 * - `identify(authorization)` the caller, or why there is none.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { Clock } from "@devflow/core/clock";
import type { Secret } from "@devflow/core/secret";
import type { Claims } from "@devflow/protocol";
import { audience, issuer, type TokenKind, type Tokens } from "./tokens.ts";

export interface Caller {
  readonly kind: "machine" | TokenKind;
  readonly claims: Claims;
  /** After this the token is invalid, and a stream opened with it ends. */
  readonly expiresAtMs: number;
}

export type Identification =
  | { readonly ok: true; readonly caller: Caller }
  | { readonly ok: false; readonly reason: "missing" | "expired" | "invalid" };

export interface CallerIdentification {
  identify(authorization: string | null): Promise<Identification>;
}

const maxCached = 1000;

export function callerIdentification(options: {
  /** The token of this machine and its person; a team server has neither. */
  readonly machine?: { readonly token: Secret; readonly userId: string };
  readonly tokens: Tokens;
  readonly clock: Clock;
}): CallerIdentification {
  const { tokens, clock, machine } = options;
  const machineDigest = machine && digestOf(machine.token.reveal());
  const cache = new Map<string, Caller>();

  return {
    async identify(authorization) {
      const token = bearerOf(authorization);
      if (token === undefined) return { ok: false, reason: authorization ? "invalid" : "missing" };
      const digest = digestOf(token);
      if (machine && machineDigest && timingSafeEqual(digest, machineDigest)) {
        return { ok: true, caller: machineCaller(machine.userId, clock) };
      }
      // Keyed by digest, so that no token can be read from the cache.
      const key = digest.toString("base64");
      const cached = cache.get(key);
      if (cached && cached.expiresAtMs > clock.now()) return { ok: true, caller: cached };
      cache.delete(key);
      const verified = await tokens.verify(token);
      if (!verified.ok) return verified;
      const { claims } = verified;
      const caller: Caller = { kind: claims.use ?? "data", claims, expiresAtMs: claims.exp * 1000 };
      if (cache.size >= maxCached) cache.delete(cache.keys().next().value ?? "");
      cache.set(key, caller);
      return { ok: true, caller };
    },
  };
}

function bearerOf(authorization: string | null): string | undefined {
  return /^bearer ([\x21-\x7e]+)$/i.exec(authorization ?? "")?.[1];
}

function machineCaller(localUserId: string, clock: Clock): Caller {
  const iat = Math.floor(clock.now() / 1000);
  return {
    kind: "machine",
    claims: { sub: localUserId, role: "authenticated", aud: audience, iss: issuer, iat, exp: iat + 600 },
    expiresAtMs: Number.POSITIVE_INFINITY,
  };
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
