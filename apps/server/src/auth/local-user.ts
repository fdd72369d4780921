/**
 * The person of this machine, and a team to start with.
 *
 * - `ensureLocalUser(database, { name })` the same person every time, even when two processes ask at once; the demo team is
 *   created only for a person without a team, so a renamed or left one does not come back.
 */
import { uuidv5 } from "@devflow/core/ids";
import type { Database } from "@devflow/db";
import type { TeamRow } from "@devflow/protocol";
import { audience, issuer } from "./tokens.ts";

export interface LocalUser {
  readonly id: string;
  readonly name: string;
  readonly teams: readonly TeamRow[];
}

/** One person per database in local mode: the id is a constant, so that every process knows it. */
export const localUserId: string = uuidv5("7c0f4a5e-1d3b-5a60-9a55-3f0d6f6c2b11", "local user");

export async function ensureLocalUser(
  database: Pick<Database, "asEngine" | "withClaims">,
  options: { readonly name: string },
): Promise<LocalUser> {
  const name = options.name.replaceAll("\0", "").trim().slice(0, 200) || "local";
  const known = await stored(database);
  // The usual case, after every start but the first: nothing to write, and one round trip.
  if (known.name === name && known.teams.length > 0) return { id: localUserId, name, teams: known.teams };
  await database.asEngine((tx) => tx`select app.ensure_user(${localUserId}::uuid, ${name}, null)`);
  if (known.teams.length === 0) await createFirstTeam(database);
  const { teams } = await stored(database);
  return { id: localUserId, name, teams };
}

async function createFirstTeam(database: Pick<Database, "withClaims">): Promise<void> {
  try {
    await createTeam(database, "demo");
  } catch (error) {
    if ((error as { code?: string }).code !== "23505") throw error;
    // The slug is taken: by another process of ours just now, or by another team of this database.
    if ((await stored(database)).teams.length === 0) await createTeam(database, null);
  }
}

function createTeam(database: Pick<Database, "withClaims">, slug: string | null): Promise<unknown> {
  return database.withClaims(localClaims(), (tx) => tx`select api.create_team('Demo', ${slug})`);
}

async function stored(
  database: Pick<Database, "withClaims">,
): Promise<{ readonly name: string | null; readonly teams: TeamRow[] }> {
  const [[user], teams] = await database.withClaims(localClaims(), (tx) =>
    Promise.all([
      tx<{ name: string | null }[]>`select name from api.whoami()`,
      tx<TeamRow[]>`select id, slug, name, role from api.my_teams()`,
    ]),
  );
  return { name: user?.name ?? null, teams: teams.map(({ id, slug, name, role }) => ({ id, slug, name, role })) };
}

function localClaims() {
  return { sub: localUserId, role: "authenticated", iss: issuer, aud: audience } as const;
}
