/**
 * Decrypts Chromium's cookie values.
 *
 * - `deriveKey(password, iterations)` PBKDF2-HMAC-SHA1 with Chromium's salt: 1 round on Linux, 1003 on macOS.
 * - `decryptValue(row, keys)` the value, or why it cannot be read.
 *
 * From schema 24 on, the plain text begins with the SHA-256 of the host. It is checked before it is removed: it proves
 * that the key was right, and older rows do not have it.
 */
import { createDecipheriv, createHash, pbkdf2Sync } from "node:crypto";

/** Keys to try per prefix, best first. */
export interface ChromiumKeys {
  /** AES-128-CBC: Linux and macOS. */
  readonly cbc: Readonly<Partial<Record<"v10" | "v11", readonly Buffer[]>>>;
  /** AES-256-GCM: Windows. */
  readonly gcm?: Buffer;
  /** Why a key is missing, for the message. */
  readonly missing?: string;
}

export interface EncryptedRow {
  readonly host: string;
  /** Used when nothing is encrypted. */
  readonly plain: string;
  readonly encrypted: Uint8Array;
  readonly schemaVersion: number;
}

export type Decrypted = { readonly value: string } | { readonly unreadable: string };

export const appBound =
  "bound to the browser itself (v20); no other program can read them. Export them there as JSON, then: devflow browse cookie-import <file>";

const hashedSince = 24;
const hashLength = 32;

export function deriveKey(password: string, iterations: number): Buffer {
  return pbkdf2Sync(password, "saltysalt", iterations, 16, "sha1");
}

export function decryptValue(row: EncryptedRow, keys: ChromiumKeys): Decrypted {
  if (row.encrypted.length === 0) return { value: row.plain };
  const bytes = Buffer.from(row.encrypted);
  const prefix = bytes.subarray(0, 3).toString("latin1");
  const body = bytes.subarray(3);
  if (prefix === "v20") return { unreadable: appBound };
  if (prefix !== "v10" && prefix !== "v11") return { unreadable: "encrypted in a format unknown to Devflow" };
  if (prefix === "v10" && keys.gcm) return checked(row, [openGcm(body, keys.gcm)]);
  const candidates = keys.cbc[prefix] ?? [];
  if (candidates.length === 0) return { unreadable: keys.missing ?? `no key for ${prefix} was found` };
  return checked(
    row,
    candidates.map((key) => openCbc(body, key)),
  );
}

function checked({ host, schemaVersion }: EncryptedRow, plains: readonly (Buffer | undefined)[]): Decrypted {
  const wrongKey = { unreadable: "the key is wrong" };
  for (const plain of plains) {
    if (!plain) continue;
    if (schemaVersion < hashedSince) {
      const value = asText(plain);
      if (value !== undefined) return { value };
      continue;
    }
    const hash = createHash("sha256").update(host).digest();
    if (plain.length < hashLength || !plain.subarray(0, hashLength).equals(hash)) continue;
    const value = asText(plain.subarray(hashLength));
    return value === undefined ? { unreadable: "the value is not text" } : { value };
  }
  return wrongKey;
}

function openCbc(body: Buffer, key: Buffer): Buffer | undefined {
  try {
    const cipher = createDecipheriv("aes-128-cbc", key, Buffer.alloc(16, 0x20));
    return Buffer.concat([cipher.update(body), cipher.final()]);
  } catch {
    return undefined;
  }
}

/** 12 bytes nonce, the text, 16 bytes tag. */
function openGcm(body: Buffer, key: Buffer): Buffer | undefined {
  if (body.length < 28) return undefined;
  try {
    const cipher = createDecipheriv("aes-256-gcm", key, body.subarray(0, 12));
    cipher.setAuthTag(body.subarray(-16));
    return Buffer.concat([cipher.update(body.subarray(12, -16)), cipher.final()]);
  } catch {
    return undefined;
  }
}

/** A wrong key nearly always gives bytes that are not UTF-8. */
function asText(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
