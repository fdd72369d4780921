/** Every persona that a role can be bound to, in the order that binding expects. */
import type { Database } from "@devflow/db";
import { Persona } from "./persona.ts";

export async function loadPersonas(database: Pick<Database, "asEngine">): Promise<Persona[]> {
  const rows = await database.asEngine((tx) => tx`select definition from app.agent_personas order by name, version`);
  return rows.map((row) => Persona.parse(row.definition));
}
