/**
 * Secrets that are handed out once and stored as hashes only.
 *
 * - `newSecret(prefix)` 256 random bits after a prefix by which leaked ones are recognized.
 * - `hashOf(secret)` SHA-256 as hex, the form in which statements take it.
 */
import { createHash, randomBytes } from "node:crypto";

export function newSecret(prefix: string): string {
  return `${prefix}${randomBytes(32).toString("base64url")}`;
}

export function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
