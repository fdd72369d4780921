/** Content hashes: SHA-256 in hex, of canonical JSON or of bytes. */
import { createHash } from "node:crypto";
import { canonicalize } from "./canonical-json.ts";

export function hash(value: unknown): string {
  return hashBytes(canonicalize(value));
}

export function hashBytes(bytes: string | Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
