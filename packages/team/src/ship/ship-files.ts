/**
 * The ships of this machine, one file each under `~/.devflow/ships/<repository>/`.
 *
 * - `readShips(home, repo)` newest first; a file that is no ship is left out.
 * - `saveShip(home, repo, ship)` before anything is sent: repeating the command sends the same record again, and counts once.
 */
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { ensurePrivateFolder, writeFileAtomic } from "@devflow/core/atomic-file";
import { parseJson, readIfThere } from "@devflow/core/read-if-there";
import { z } from "zod";
import { folderKey } from "../repository/index.ts";

const Ship = z.looseObject({
  id: z.uuid(),
  version: z.string(),
  branch: z.string(),
  sha: z.string(),
  at: z.iso.datetime({ offset: true }),
  pr_url: z.string().nullable(),
  commits: z.number().int(),
  lead_seconds: z.number().nullable(),
  fixes: z.array(z.string()),
});
export type Ship = z.infer<typeof Ship>;

const folderOf = (home: string, repo: string): string => join(home, "ships", folderKey(repo));

export async function readShips(home: string, repo: string): Promise<Ship[]> {
  const folder = folderOf(home, repo);
  const names = await readdir(folder).catch((error: { code?: string }) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const found = await Promise.all(
    names
      .filter((name) => /^[0-9a-f-]{36}\.json$/.test(name))
      .map(async (name) => Ship.safeParse(parseJson((await readIfThere(join(folder, name))) ?? "")).data),
  );
  return found.flatMap((ship) => ship ?? []).sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
}

export async function saveShip(home: string, repo: string, ship: Ship): Promise<void> {
  await mkdir(join(home, "ships"), { recursive: true, mode: 0o700 });
  await ensurePrivateFolder(folderOf(home, repo));
  await writeFileAtomic(join(folderOf(home, repo), `${ship.id}.json`), `${JSON.stringify(ship, null, 2)}\n`);
}
