/**
 * Ships of a repository.
 *
 * - `knownShips(context)` those of this machine and, from the team cache, those of teammates; newest first, each once.
 */
import { basename } from "node:path";
import type { CommandContext } from "@devflow/core/command";
import { homeAt } from "@devflow/core/home";
import { machineId } from "@devflow/core/machine-id";
import { cacheFolder, readRows } from "@devflow/team/cache";
import { repositoryOf } from "@devflow/team/repository";
import { readShips } from "@devflow/team/ship";
import { z } from "zod";
import { findPlace, type TeamPlace } from "../sync/place.ts";
import { repositoryTitle } from "../team/repository-title.ts";
import { requireRepository } from "../team/require-repository.ts";

export interface ListedShip {
  readonly id: string;
  readonly version: string;
  readonly branch: string;
  /** Null if whoever pushed it did not say. */
  readonly sha: string | null;
  readonly at: string;
  readonly by: string | null;
  readonly commits: number | null;
}

export interface ShipPlace {
  readonly root: string;
  readonly name: string;
  /** The repository as the team knows it. */
  readonly repo: string;
  readonly team: TeamPlace | undefined;
  readonly ships: readonly ListedShip[];
}

const Pushed = z.looseObject({
  version: z.string(),
  branch: z.string(),
  sha: z.string().optional(),
  commits: z.number().optional(),
});

export async function knownShips(context: CommandContext): Promise<ShipPlace> {
  const { cwd, signal } = context;
  const home = homeAt(context.config().home);
  const root = await requireRepository(context);
  const team = await findPlace(context);
  const repo = team?.repo ?? (await repositoryOf({ cwd, signal }, await machineId(home))) ?? basename(root);
  const own = (await readShips(home.root, repo)).map(
    ({ id, version, branch, sha, at, commits }): ListedShip => ({ id, version, branch, sha, at, by: null, commits }),
  );
  const rows = team ? await readRows(cacheFolder(home.root, { ...team.to, repo: team.repo }), "ship_log") : [];
  const theirs = rows.flatMap((row): ListedShip[] => {
    const found = Pushed.safeParse(row.payload).data;
    if (!found || own.some(({ id }) => id === row.id)) return [];
    const { version, branch, sha = null, commits = null } = found;
    return [{ id: row.id, version, branch, sha, at: row.at, by: row.user_name, commits }];
  });
  const ships = [...own, ...theirs].sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
  return { root, name: repositoryTitle(repo, root), repo, team, ships };
}
