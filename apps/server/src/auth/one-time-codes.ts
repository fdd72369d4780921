/**
 * One-time codes for `devflow open` and `devflow up`: minutes, one use, kept in memory as hashes only.
 *
 * - `issue(minutes)` a new code and its expiry; when more than 20 are pending, the oldest is dropped.
 * - `spend(code)` "accepted" once; "refused" for anything else; "locked" after too many wrong codes.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "@devflow/core/clock";

export interface OneTimeCodes {
  issue(minutes: number): { readonly code: string; readonly expiresAt: string };
  spend(code: string): "accepted" | "refused" | "locked";
}

const maxWaiting = 20;
/** A code has 256 bits; the limit makes a flood of guesses cheap to refuse and visible in the log. */
const maxWrongPerMinute = 30;

export function oneTimeCodes(clock: Clock): OneTimeCodes {
  let waiting: { hash: Buffer; expiresAtMs: number }[] = [];
  let wrong: number[] = [];

  return {
    issue(minutes) {
      const code = randomBytes(32).toString("base64url");
      const expiresAtMs = clock.now() + minutes * 60_000;
      waiting = [...waiting.filter((one) => one.expiresAtMs > clock.now()), { hash: hashOf(code), expiresAtMs }];
      waiting = waiting.slice(-maxWaiting);
      return { code, expiresAt: new Date(expiresAtMs).toISOString() };
    },
    spend(code) {
      const now = clock.now();
      wrong = wrong.filter((at) => now - at < 60_000);
      if (wrong.length >= maxWrongPerMinute) return "locked";
      const given = hashOf(code);
      waiting = waiting.filter((one) => one.expiresAtMs > now);
      const found = waiting.filter((one) => timingSafeEqual(one.hash, given));
      waiting = waiting.filter((one) => !found.includes(one));
      if (found.length > 0) return "accepted";
      wrong.push(now);
      return "refused";
    },
  };
}

function hashOf(code: string): Buffer {
  return createHash("sha256").update(code).digest();
}
