/**
 * Stores the definitions of this machine in the database, where runs refer to them.
 *
 * - `seedDefinitions(tx, definitions, options?)` inserts new ones; existing ones must be equal.
 *
 * A published version with different content is refused. A definition whose file is gone is deleted from the database,
 * unless a run refers to it: then it is refused (`refuse`), or kept (`keep`) where several machines share a database and
 * one cannot know the files of another.
 */
import type { Transaction } from "@devflow/db";
import { type Definition, type Definitions, loadFailed, type Refusal } from "./registry.ts";

export interface SeedOptions {
  /** What happens to a definition whose file is gone. */
  readonly gone?: "refuse" | "keep";
  /** Whether a refused file is an error, or part of the result. */
  readonly faults?: "throw" | "return";
}

export interface SeedResult {
  /** `name@version` of each. */
  readonly inserted: readonly string[];
  readonly removed: readonly string[];
  /** Without a file here. */
  readonly kept: readonly string[];
  /** Files that are not used; what was stored under their ids stays in force. */
  readonly refused: readonly Refusal[];
}

interface Row {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly hash: string;
}

type Table = "workflow_templates" | "agent_personas";

export async function seedDefinitions(
  tx: Transaction,
  definitions: Definitions,
  { gone = "refuse", faults = "throw" }: SeedOptions = {},
): Promise<SeedResult> {
  const templates = await seedTable(tx, "workflow_templates", definitions.templates, gone);
  const personas = await seedTable(tx, "agent_personas", definitions.personas, gone);
  const refused = [...templates.refused, ...personas.refused];
  if (refused.length > 0 && faults === "throw") throw loadFailed(refused);
  return {
    inserted: [...templates.inserted, ...personas.inserted],
    removed: [...templates.removed, ...personas.removed],
    kept: [...templates.kept, ...personas.kept],
    refused,
  };
}

async function seedTable(
  tx: Transaction,
  table: Table,
  definitions: readonly Definition<{ readonly name: string; readonly version: number }>[],
  gone: "refuse" | "keep",
) {
  const inserted: string[] = [];
  const removed: string[] = [];
  const kept: string[] = [];
  const refused: Refusal[] = [];
  const refuse = (file: string, path: string, reason: string) =>
    refused.push({ file, faults: [{ path, line: undefined, reason }] });
  for (const { id, hash, value } of definitions) {
    const { name, version } = value;
    const rows = await tx`
      insert into app.${tx(table)} (name, version, hash, definition)
      values (${name}, ${version}, ${hash}, ${tx.json(value as never)})
      on conflict (name, version) where not from_repository do nothing returning id`;
    if (rows.length > 0) inserted.push(id);
  }
  const byId = new Map(definitions.map((one) => [one.id, one]));
  const stored = await tx<
    Row[]
  >`select id, name, version, hash from app.${tx(table)} where not from_repository order by name, version`;
  for (const row of stored) {
    const id = `${row.name}@${row.version}`;
    const known = byId.get(id);
    if (known) {
      if (known.hash === row.hash) continue;
      const file = known.source === "shipped" ? `${id}.yaml` : known.source;
      refuse(file, "version", `${id} was published with different content; give the changed one a new version`);
      continue;
    }
    if (gone === "keep") {
      kept.push(id);
      continue;
    }
    const runs = await referringRuns(tx, table, row.hash);
    if (runs > 0) {
      refuse(`${id}.yaml`, "", `the file is gone, but ${runs} run(s) refer to it; put it back as it was`);
      continue;
    }
    // The foreign key protects a run that starts at this very moment.
    await tx`delete from app.${tx(table)} where id = ${row.id}`;
    removed.push(id);
  }
  return { inserted, removed, kept, refused };
}

async function referringRuns(tx: Transaction, table: Table, hash: string): Promise<number> {
  const rows =
    table === "workflow_templates"
      ? await tx<{ count: string }[]>`select count(*) from app.runs where template_hash = ${hash}`
      : await tx<{ count: string }[]>`select count(distinct run_id) from app.run_bindings where persona_hash = ${hash}`;
  return Number(rows[0]?.count ?? 0);
}
