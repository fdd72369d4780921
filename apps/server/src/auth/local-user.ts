/**
 * The person of this machine, and a team to start with.
 *
 * - `ensureLocalUser(database, { name })` the same person every time, also when two processes ask at once; the demo
 *   team is made only for a person who has no team, so one that was renamed or left does not come back.
 */
import { uuidv5 } from "@devflow/core/ids";
import type { Database } from "@devflow/db";
import type { TeamSummary } from "@devflow/protocol";
import { audience, issuer } from "./tokens.ts";

export interface LocalUser {
  readonly id: string;
  readonly name: string;
  readonly teams: readonly TeamSummary[];
}

/** One person per database in local mode: the id is a constant, so that every process knows it without asking. */
export const localUserId: string = uuidv5("7c0f4a5e-1d3b-5a60-9a55-3f0d6f6c2b11", "local user");

export async function ensureLocalUser(
  database: Pick<Database, "asEngine" | "withClaims">,
  options: { readonly name: string },
): Promise<LocalUser> {
  const name = options.name.replaceAll("\0", "").trim().slice(0, 200) || "local";
  await database.asEngine((tx) => tx`select app.ensure_user(${localUserId}::uuid, ${name}, null)`);
  const teams = await myTeams(database);
  if (teams.length > 0) return { id: localUserId, name, teams };
  try {
    await createTeam(database, "demo");
  } catch (error) {
    if ((error as { code?: string }).code !== "23505") throw error;
    // The slug is taken: by another process of ours just now, or by another team of this database.
    if ((await myTeams(database)).length === 0) await createTeam(database, null);
  }
  return { id: localUserId, name, teams: await myTeams(database) };
}

function createTeam(database: Pick<Database, "withClaims">, slug: string | null): Promise<unknown> {
  return database.withClaims(localClaims(), (tx) => tx`select api.create_team('Demo', ${slug})`);
}

async function myTeams(database: Pick<Database, "withClaims">): Promise<TeamSummary[]> {
  const rows = await database.withClaims(
    localClaims(),
    (tx) => tx<TeamSummary[]>`select id, slug, name, role from api.my_teams()`,
  );
  return rows.map(({ id, slug, name, role }) => ({ id, slug, name, role }));
}

function localClaims() {
  return { sub: localUserId, role: "authenticated", iss: issuer, aud: audience } as const;
}
