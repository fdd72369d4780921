/**
 * Text that only this machine can decrypt: AES-256-GCM with a key in the user's home.
 *
 * - `sealingKey(file)` the key, created on first use.
 * - `seal(text, key)`, `unseal(sealed, key)`.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { link, rm, writeFile } from "node:fs/promises";
import { readPrivateFile } from "@devflow/core/atomic-file";
import { DevflowError } from "@devflow/core/errors";

const header = "devflow-browse-state-1";

export async function sealingKey(file: string): Promise<Buffer> {
  const existing = await readPrivateFile(file);
  if (existing !== undefined) return Buffer.from(existing.trim(), "hex");
  const temporary = `${file}.${randomBytes(6).toString("hex")}`;
  await writeFile(temporary, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600, flag: "wx" });
  // If two processes create one at the same time, the first wins.
  await link(temporary, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  await rm(temporary, { force: true });
  return await sealingKey(file);
}

export function seal(text: string, key: Buffer): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return `${header}\n${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64")}\n`;
}

export function unseal(sealed: string, key: Buffer): string {
  const [first, content = ""] = sealed.split("\n");
  const bytes = Buffer.from(content, "base64");
  try {
    if (first !== header) throw new Error("not a saved state");
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
  } catch (cause) {
    const problem = "This file is not a state saved on this machine.";
    throw new DevflowError("input_invalid", {
      details: { problem, next: "Save one: devflow browse state save <file>" },
      cause,
    });
  }
}
