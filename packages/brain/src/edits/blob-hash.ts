/**
 * The name that git gives a content, without starting git. Filters and line ending conversion are not applied.
 *
 * - `fileHash(path, hashBytes)` of a file or a link; undefined when it is missing, no file, or large.
 */
import { lstatSync, readFileSync, readlinkSync } from "node:fs";
import { hashBytes as sha256 } from "@devflow/core/hash";
import { sha1 } from "@devflow/core/sha1";

const maxBytes = 5_000_000;

function blobHash(bytes: Uint8Array, hashBytes: 20 | 32 = 20): string {
  const named = Buffer.concat([Buffer.from(`blob ${bytes.length}\0`), bytes]);
  return hashBytes === 20 ? Buffer.from(sha1(named)).toString("hex") : sha256(named);
}

export function fileHash(path: string, hashBytes: 20 | 32 = 20): string | undefined {
  try {
    const found = lstatSync(path);
    if (found.isSymbolicLink()) return blobHash(Buffer.from(readlinkSync(path)), hashBytes);
    return found.isFile() && found.size <= maxBytes ? blobHash(readFileSync(path), hashBytes) : undefined;
  } catch {
    return undefined;
  }
}
