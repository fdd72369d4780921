/**
 * The newest known release, so that an agent can be told about it without a network request.
 *
 * - `rememberOffer(home, version)` after a release check.
 * - `newerRelease(home, current)` the remembered version when it is newer than this one.
 */
import { readFileSync } from "node:fs";
import { ensurePrivateFolder, writeFileAtomic } from "@devflow/core/atomic-file";
import type { Home } from "@devflow/core/home";
import { compareVersions } from "@devflow/core/version-order";

export async function rememberOffer(home: Home, version: string): Promise<void> {
  await ensurePrivateFolder(home.root);
  await writeFileAtomic(home.offeredRelease, `${version}\n`);
}

export function newerRelease(home: Home, current: string): string | undefined {
  let offered: string;
  try {
    offered = readFileSync(home.offeredRelease, "utf8").trim();
  } catch {
    return undefined;
  }
  return /^\d+\.\d+\.\d+[\w.-]*$/.test(offered) && compareVersions(offered, current) > 0 ? offered : undefined;
}
