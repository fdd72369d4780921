/**
 * The cookie of a signed-in browser. It is read by two routes only: the one that gives the page an access token and the one
 * that signs out; everything else needs the access token in a header, which no other site can send.
 *
 * - `sessionCookie(secret)` sets it, `clearedCookie` removes it, `sessionOf(header)` reads it.
 */
import { signInLifetimeS } from "./sign-ins.ts";

/** A browser accepts a name that begins with `__Host-` only over TLS, for this host alone. */
const name = "__Host-devflow";
const rules = "Path=/; Secure; HttpOnly; SameSite=Strict";

export const sessionCookie = (secret: string): string => `${name}=${secret}; Max-Age=${signInLifetimeS}; ${rules}`;
export const clearedCookie = `${name}=; Max-Age=0; ${rules}`;

export function sessionOf(header: string | null): string | undefined {
  for (const part of (header ?? "").split(";")) {
    const [key, value] = part.trim().split("=", 2);
    if (key === name && value) return value;
  }
  return undefined;
}
