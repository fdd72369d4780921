/**
 * This machine's stable id, created once and kept in the home: runs record where they execute, and a host name may change
 * or belong to two machines.
 */
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { ensurePrivateFolder, readPrivateFile, writeFileAtomic } from "./atomic-file.ts";
import type { Home } from "./home.ts";

export async function machineId({ root, machineIdFile }: Pick<Home, "root" | "machineIdFile">): Promise<string> {
  const known = (await readPrivateFile(machineIdFile))?.trim();
  if (known && /^[\w.-]{1,100}$/.test(known)) return known;
  const name = hostname()
    .replace(/[^\w.-]/g, "-")
    .slice(0, 60);
  const made = `${name || "machine"}-${randomBytes(4).toString("hex")}`;
  // A new machine of CI has no home yet.
  await ensurePrivateFolder(root);
  await writeFileAtomic(machineIdFile, `${made}\n`);
  return made;
}
