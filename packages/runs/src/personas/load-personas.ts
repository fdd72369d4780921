/**
 * The personas that a role can be bound to, in the order that binding expects: those of this machine, and those of the
 * run's repository with these hashes.
 */
import type { Database } from "@devflow/db";
import { Persona } from "./persona.ts";

export async function loadPersonas(
  database: Pick<Database, "asEngine">,
  ofRepository: readonly string[] = [],
): Promise<Persona[]> {
  const rows = await database.asEngine(
    (tx) => tx`
      select definition from app.agent_personas
      where not from_repository or hash in (select jsonb_array_elements_text(${tx.json([...ofRepository])}))
      order by name, version`,
  );
  return rows.map((row) => Persona.parse(row.definition));
}
