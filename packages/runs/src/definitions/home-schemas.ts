/**
 * The artifact schemas in a person's home: `~/.devflow/schemas/<domain>/<name>@<version>.json`.
 *
 * - `loadHomeSchemas(home)` those that can be used, and why the others cannot.
 */
import { readdir, readFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { judgeSchemas, type RefusedFile, readSchemaFile, type SchemaFile } from "./schema-file.ts";

export async function loadHomeSchemas(home: string): Promise<{ schemas: SchemaFile[]; refused: RefusedFile[] }> {
  const folder = join(home, "schemas");
  const names = await readdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const schemas: SchemaFile[] = [];
  const refused: RefusedFile[] = [];
  for (const name of names.filter((one) => one.endsWith(".json")).sort()) {
    const path = join(folder, name);
    const read = readSchemaFile(name.replaceAll(sep, "/"), await readFile(path, "utf8"), path);
    if ("ok" in read) refused.push(read);
    else schemas.push(read);
  }
  const broken = judgeSchemas(schemas);
  const unusable = new Set(broken.map(({ file }) => file));
  return { schemas: schemas.filter(({ source }) => !unusable.has(source)), refused: [...refused, ...broken] };
}
