/** Signs reports, and with them the heads of event chains, with this machine's Ed25519 key, created on first use with mode 0600. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { join } from "node:path";
import { movePrivateFile, readPrivateFile, writeFileAtomic } from "@devflow/core/atomic-file";
import type { Home } from "@devflow/core/home";
import type { ChainSigner } from "./context.ts";

export async function openChainSigner({ root, runSigningKeyFile: path }: Home): Promise<ChainSigner> {
  await movePrivateFile(join(root, "run-signing.key"), path);
  const known = await readPrivateFile(path);
  const pem = known ?? generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" }).toString();
  if (known === undefined) await writeFileAtomic(path, pem);
  const key = createPrivateKey(pem);
  const publicKey = createPublicKey(key).export({ format: "der", type: "spki" }).toString("base64");
  return { publicKey, sign: (text) => sign(null, Buffer.from(text), key).toString("base64") };
}
