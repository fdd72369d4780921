/**
 * What a machine has of the teams that its person was removed from.
 *
 * - `wipeTeams(home, server, teams)` removes it.
 */
import type { Home } from "@devflow/core/home";
import { wipeTeam } from "@devflow/team/cache";

export async function wipeTeams(home: Home, server: string, teams: readonly string[]): Promise<void> {
  for (const team of teams) await wipeTeam(home.root, { server, team });
}
