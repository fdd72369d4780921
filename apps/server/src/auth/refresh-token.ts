/**
 * The secret of a sign-in, `dfr_<sign-in>.<nonce>.<signature>`: what a terminal refreshes with, and what a browser's cookie
 * contains. The signature tells one that this server has issued, however old, from an invented one: only a real one that
 * was replaced proves a theft, so nobody can end a sign-in by guessing at it.
 *
 * - `newRefreshToken(key, signInId)`, `readRefreshToken(key, text)` undefined when this server has not issued it.
 * - `judgeRefresh(row, hash, now)` what using a token of that sign-in means.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { isUuid } from "@devflow/core/ids";
import { hashOf } from "./one-time-secret.ts";

export interface RefreshToken {
  readonly signInId: string;
  readonly text: string;
  /** Stored; the token itself is not. */
  readonly hash: string;
}

export function newRefreshToken(key: Uint8Array, signInId: string): RefreshToken {
  const nonce = randomBytes(32).toString("base64url");
  const text = `dfr_${signInId}.${nonce}.${signatureOf(key, signInId, nonce)}`;
  return { signInId, text, hash: hashOf(text) };
}

export function readRefreshToken(key: Uint8Array, text: string): RefreshToken | undefined {
  const [signInId = "", nonce = "", signature = ""] = text.startsWith("dfr_") ? text.slice(4).split(".") : [];
  if (!isUuid(signInId)) return undefined;
  const wanted = Buffer.from(signatureOf(key, signInId, nonce));
  const given = Buffer.from(signature);
  if (wanted.length !== given.length || !timingSafeEqual(wanted, given)) return undefined;
  return { signInId, text, hash: hashOf(text) };
}

function signatureOf(key: Uint8Array, signInId: string, nonce: string): string {
  return createHmac("sha256", key).update(`refresh ${signInId} ${nonce}`).digest("base64url");
}

export interface SignInRow {
  readonly kind: "web" | "terminal";
  readonly currentHash: string;
  readonly previousHash: string | null;
  readonly expiresAtMs: number;
  readonly isRevoked: boolean;
}

/**
 * - `keep` a browser's secret stays the same: tabs use it at the same time.
 * - `rotate` the newest token: it becomes the previous one.
 * - `replace` the previous token, while the newest was never used: its answer was lost, so the newest is replaced.
 * - `reused` any other token of this sign-in: somebody has a copy, and the sign-in ends.
 * - `ended` it was revoked, or has expired.
 */
export type RefreshVerdict = "keep" | "rotate" | "replace" | "reused" | "ended";

export function judgeRefresh(row: SignInRow, hash: string, now: number): RefreshVerdict {
  if (row.isRevoked || row.expiresAtMs <= now) return "ended";
  if (hash === row.currentHash) return row.kind === "web" ? "keep" : "rotate";
  return hash === row.previousHash ? "replace" : "reused";
}
