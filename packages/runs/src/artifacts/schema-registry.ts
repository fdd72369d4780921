/**
 * The schemas that artifacts are validated against: JSON Schema 2020-12, strict, with ids `<domain>/<name>@<version>`.
 *
 * - `loadSchema(id)` the schema; an unknown id is an error that names the nearest one.
 * - `validateArtifact(id, data)` valid, or every error in words that the author of the file can act on.
 * - `warmSchemas(ids?)` compiles them ahead of time: about 200 ms for all, which no phase should wait for.
 * - `isKnownSchema(id)`, `schemaIds` the known ones. `createSchemaRegistry(schemas)` the same over other schemas.
 */
import { DevflowError } from "@devflow/core/errors";
import { nearest } from "@devflow/core/nearest";
import type { ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { type ArtifactError, describeErrors } from "./schema-errors.ts";
import { shippedSchemas } from "./shipped-schemas.ts";

export type { ArtifactError } from "./schema-errors.ts";

/** The part of a schema document that other code may rely on. */
export interface JsonSchema {
  readonly $id?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly [keyword: string]: unknown;
}

export type ArtifactVerdict = { readonly ok: true } | { readonly ok: false; readonly errors: readonly ArtifactError[] };

export interface SchemaRegistry {
  readonly ids: readonly string[];
  load(id: string): JsonSchema;
  validate(id: string, data: unknown): ArtifactVerdict;
  /** Compiles them now, so that the first artifact of a run does not wait for it. */
  warm(ids?: readonly string[]): void;
}

/** Above this many values only the first error is reported: a file of a million empty objects has millions of them. */
const manyValues = 20_000;

export function createSchemaRegistry(schemas: Readonly<Record<string, object>>): SchemaRegistry {
  const ids = Object.keys(schemas).sort();
  const compiled = new Map<string, ValidateFunction>();
  const compilers = new Map<boolean, Ajv2020>();

  const load = (id: string): JsonSchema => {
    if (Object.hasOwn(schemas, id)) return schemas[id] as JsonSchema;
    const near = nearest(id, ids);
    const next = near ? `Did you mean ${near}?` : `Known schemas: ${ids.join(", ")}`;
    throw new DevflowError("artifact_schema_unknown", { details: { schema: id, next } });
  };

  /** Shared: creating one takes as long as compiling ten schemas. */
  const compilerOf = (allErrors: boolean): Ajv2020 => {
    const known = compilers.get(allErrors);
    if (known) return known;
    // `string or null` marks a member that may be unknown; the rest of strict mode stays on.
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false, allErrors, verbose: true });
    compilers.set(allErrors, ajv);
    return ajv;
  };

  const validatorOf = (id: string, allErrors: boolean): ValidateFunction => {
    const key = `${id} ${allErrors}`;
    const known = compiled.get(key);
    if (known) return known;
    const schema = load(id);
    try {
      const validator = compilerOf(allErrors).compile(schema);
      compiled.set(key, validator);
      return validator;
    } catch (error) {
      const reason = (error as Error).message;
      throw new DevflowError("artifact_schema_load_failed", { details: { schema: id, reason }, cause: error });
    }
  };

  return {
    ids,
    load,
    validate(id, data) {
      const validator = validatorOf(id, isSmall(data));
      if (validator(data)) return { ok: true };
      return { ok: false, errors: describeErrors(validator.errors ?? []) };
    },
    warm(wanted = ids) {
      for (const id of wanted) validatorOf(id, true);
    },
  };
}

const shipped = createSchemaRegistry(shippedSchemas);

export const schemaIds: readonly string[] = shipped.ids;
export const isKnownSchema = (id: string): boolean => schemaIds.includes(id);
export const loadSchema = (id: string): JsonSchema => shipped.load(id);
export const warmSchemas = (wanted?: readonly string[]): void => shipped.warm(wanted);
export const validateArtifact = (id: string, data: unknown): ArtifactVerdict => shipped.validate(id, data);

function isSmall(data: unknown): boolean {
  const open: unknown[] = [data];
  let seen = 0;
  while (open.length > 0) {
    const value = open.pop();
    if (value === null || typeof value !== "object") continue;
    const members = Array.isArray(value) ? value : Object.values(value);
    seen += members.length;
    if (seen > manyValues) return false;
    for (const member of members) open.push(member);
  }
  return true;
}
