/** The named team of the caller, or their first. */
import { notFound, type Reader } from "../views/index.ts";
import { invalid } from "./request.ts";

export async function teamFor({ database, claims }: Reader, wanted: string | undefined): Promise<string> {
  const teams = await database.withClaims(claims, (tx) => tx<{ id: string }[]>`select id from api.my_teams()`);
  const found = wanted === undefined ? teams[0] : teams.find((team) => team.id === wanted);
  if (found) return found.id;
  if (wanted === undefined) throw invalid("You belong to no team yet, and a run belongs to one.");
  throw notFound(`Team ${wanted}`, "List your teams: devflow status");
}
