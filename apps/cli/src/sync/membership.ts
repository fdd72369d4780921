/**
 * Which teams a person is in, per server, as this machine last saw it.
 *
 * - `localMembership(home)` the local server's; asked for while it runs, remembered in `teams/local/membership.json` for when it does not.
 * - `signedInMembership(home, server)` a team server's, from the sign-in in `auth.json`.
 * - `tokenMembership(home, env, server)` the same for CI, which has a token and no sign-in: the server is asked.
 *
 * What signs in is loaded only where there is a team server.
 */
import { join } from "node:path";
import { ensurePrivateFolder, writeFileAtomic } from "@devflow/core/atomic-file";
import type { Environment } from "@devflow/core/config";
import type { Home } from "@devflow/core/home";
import { parseJson, readIfThere } from "@devflow/core/read-if-there";
import { z } from "zod";
import { callRpc, callServer } from "../server/client.ts";
import { findServer } from "../server/state.ts";

const Membership = z.object({
  user: z.object({ id: z.uuid(), name: z.string() }),
  teams: z.array(z.object({ id: z.uuid(), slug: z.string(), name: z.string() })),
});
export type Membership = z.infer<typeof Membership>;

/** A hook or a skill must not wait long for a server that hangs. */
const askLimitMs = 1_000;

export async function localMembership(home: Home): Promise<Membership | undefined> {
  const folder = join(home.root, "teams", "local");
  const file = join(folder, "membership.json");
  const text = await readIfThere(file);
  const known = Membership.safeParse(parseJson(text ?? "")).data;
  const state = await findServer(home);
  if (!state) return known;
  // Of its status only this: the schema of the rest would be built for nothing.
  const found = await callServer(state, "/api/status", Membership, { timeoutMs: askLimitMs }).catch(() => undefined);
  if (!found) return known;
  const now = `${JSON.stringify(found)}\n`;
  if (now !== text) {
    await ensurePrivateFolder(folder);
    await writeFileAtomic(file, now);
  }
  return found;
}

export async function signedInMembership(home: Home, server: string): Promise<Membership | undefined> {
  const { readAuth } = await import("../team/auth-file.ts");
  const found = (await readAuth(home).catch(() => ({}) as Awaited<ReturnType<typeof readAuth>>))[server];
  if (!found) return undefined;
  return {
    user: { id: found.user_id, name: found.name },
    teams: Object.entries(found.teams ?? {}).map(([slug, id]) => ({ id, slug, name: slug })),
  };
}

export async function tokenMembership(home: Home, env: Environment, server: string): Promise<Membership> {
  const { tokenFor } = await import("../team/token-for.ts");
  const { token, userId, headers } = await tokenFor(home, env, server);
  const address = { url: server, token, ...(headers ? { headers } : {}) };
  const [who, teams] = await Promise.all([callRpc(address, "whoami", {}), callRpc(address, "my_teams", {})]);
  return { user: { id: userId, name: who.name ?? "" }, teams: teams.map(({ id, slug, name }) => ({ id, slug, name })) };
}
