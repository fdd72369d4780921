/**
 * Artifact schemas that people write: `<domain>/<name>@<version>.json` below a folder called `schemas`.
 *
 * - `readSchemaFile(path, text)` the schema and its id, or why the file is not one. Its content is checked together with
 *   the others (`judgeSchemas`), because schemas may refer to one another.
 * - `judgeSchemas(schemas)` the faults of each.
 */
import { isKnownSchema, schemasWith } from "../artifacts/index.ts";
import type { DefinitionFault } from "./read-definition.ts";

export interface SchemaFile {
  /** `<domain>/<name>@<version>`. */
  readonly id: string;
  readonly document: object;
  /** Where it was found, for messages. */
  readonly source: string;
}

export interface RefusedFile {
  readonly ok: false;
  readonly file: string;
  readonly faults: readonly DefinitionFault[];
}

const schemaIdPattern = /^[a-z]+\/[a-z-]+@\d+$/;

/** `path` is relative to the folder `schemas`. */
export function readSchemaFile(path: string, text: string, source: string): SchemaFile | RefusedFile {
  const id = path.replace(/\.json$/, "");
  if (!schemaIdPattern.test(id))
    return refused(source, "the file must be called <domain>/<name>@<version>.json, in lower case");
  if (isKnownSchema(id)) return refused(source, `${id} is shipped with Devflow; give yours another name or version`);
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    return refused(source, `it is not JSON (${(error as Error).message})`);
  }
  if (typeof document !== "object" || document === null || Array.isArray(document))
    return refused(source, "a schema is a JSON object");
  return { id, document, source };
}

export function judgeSchemas(schemas: readonly SchemaFile[]): RefusedFile[] {
  const registry = schemasWith(documentsOf(schemas));
  return schemas.flatMap(({ id, source }) => {
    const faults = registry.faults(id);
    return faults.length === 0
      ? []
      : [{ ok: false, file: source, faults: faults.map((reason) => ({ path: "", line: undefined, reason })) }];
  });
}

export const documentsOf = (schemas: readonly SchemaFile[]): Record<string, object> =>
  Object.fromEntries(schemas.map(({ id, document }) => [id, document]));

const refused = (file: string, reason: string): RefusedFile => ({
  ok: false,
  file,
  faults: [{ path: "", line: undefined, reason }],
});
