/** Content hashes: SHA-256 in hex, of canonical JSON or of bytes. */
import { hash as digest } from "node:crypto";
import { canonicalize } from "./canonical-json.ts";

export function hash(value: unknown): string {
  return hashBytes(canonicalize(value));
}

export function hashBytes(bytes: string | Uint8Array): string {
  // In one call: a hash object is a stream and takes twice as long for a small text.
  return digest("sha256", bytes, "hex");
}
