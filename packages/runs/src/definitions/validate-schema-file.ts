/**
 * Checks one schema file, for `devflow schema validate`.
 *
 * - `validateSchemaFile(path)` its id and warnings, or its faults. Schemas in the same `schemas` folder may be referred to.
 */
import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { schemaWarnings } from "../artifacts/index.ts";
import { loadHomeSchemas } from "./home-schemas.ts";
import { judgeSchemas, type RefusedFile, readSchemaFile } from "./schema-file.ts";

export type SchemaVerdict =
  | { readonly ok: true; readonly file: string; readonly id: string; readonly warnings: readonly string[] }
  | RefusedFile;

export async function validateSchemaFile(path: string): Promise<SchemaVerdict> {
  const folder = dirname(path);
  const text = await readFile(path, "utf8").catch((error: Error) => error);
  if (text instanceof Error) {
    return {
      ok: false,
      file: path,
      faults: [{ path: "", line: undefined, reason: `it cannot be read: ${text.message}` }],
    };
  }
  const read = readSchemaFile(join(basename(folder), basename(path)), text, path);
  if ("ok" in read) return read;
  const root = dirname(folder);
  const beside = basename(root) === "schemas" ? (await loadHomeSchemas(dirname(root))).schemas : [];
  const all = [...beside.filter(({ id }) => id !== read.id), read];
  const refused = judgeSchemas(all).find(({ file }) => file === path);
  return refused ?? { ok: true, file: path, id: read.id, warnings: await schemaWarnings(read.document) };
}
