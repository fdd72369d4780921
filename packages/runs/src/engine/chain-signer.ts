/** Signs heads of event chains with this machine's Ed25519 key, created on first use with mode 0600. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { dirname } from "node:path";
import { ensurePrivateFolder, readPrivateFile, writeFileAtomic } from "@devflow/core/atomic-file";
import type { ChainSigner } from "./context.ts";

export async function openChainSigner(path: string): Promise<ChainSigner> {
  await ensurePrivateFolder(dirname(path));
  const known = await readPrivateFile(path);
  const pem = known ?? generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" }).toString();
  if (known === undefined) await writeFileAtomic(path, pem);
  const key = createPrivateKey(pem);
  const publicKey = createPublicKey(key).export({ format: "der", type: "spki" }).toString("base64");
  return { publicKey, sign: (text) => sign(null, Buffer.from(text), key).toString("base64") };
}
