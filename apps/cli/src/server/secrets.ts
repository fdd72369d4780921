/** The machine's two secrets: a token created at each server start, and a permanent signing key, 0600. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { ensurePrivateFolder, movePrivateFile, readPrivateFile, writeFileAtomic } from "@devflow/core/atomic-file";
import type { Home } from "@devflow/core/home";
import { Secret } from "@devflow/core/secret";

export async function machineSecrets(home: Home): Promise<{ machineToken: Secret; signingKey: Secret }> {
  await ensurePrivateFolder(home.root);
  const machineToken = new Secret(`dfm_${randomBytes(32).toString("base64url")}`);
  return { machineToken, signingKey: await signingKey(home) };
}

export async function signingKey(home: Home): Promise<Secret> {
  await movePrivateFile(join(home.root, "signing.key"), home.signingKeyFile);
  const known = (await readPrivateFile(home.signingKeyFile))?.trim();
  if (known && known.length >= 43) return new Secret(known);
  const made = randomBytes(32).toString("base64url");
  await writeFileAtomic(home.signingKeyFile, `${made}\n`);
  return new Secret(made);
}
