/** Content hashes: SHA-256 in hex, of canonical JSON or of bytes. */
import { canonicalize } from "./canonical-json.ts";

export function hash(value: unknown): string {
  return hashBytes(canonicalize(value));
}

export function hashBytes(bytes: string | Uint8Array): string {
  // Loaded when it is used: it takes longer to load than most hooks of agents run. In one call: a hash object is a stream and takes twice
  // as long for a small text.
  return process.getBuiltinModule("node:crypto").hash("sha256", bytes, "hex");
}
