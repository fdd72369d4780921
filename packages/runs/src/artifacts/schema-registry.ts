/**
 * The schemas that artifacts are validated against: JSON Schema 2020-12, with ids `<domain>/<name>@<version>`.
 *
 * - `loadSchema(id)` the schema; an unknown id is an error that names the nearest one.
 * - `validateArtifact(id, data)` valid, or every error in words that the author of the file can act on.
 * - `isKnownSchema(id)`, `schemaIds` those that Devflow ships. `schemasWith(own)` a registry with a run's own besides them.
 *
 * Schemas may refer to one another as `devflow:<id>`. See docs/runs-own.md for what is not supported.
 */
import { DevflowError } from "@devflow/core/errors";
import { nearest } from "@devflow/core/nearest";
import {
  assertsIn,
  createSchemaSet,
  evaluate,
  metaSchemas,
  type Schema,
  SchemaFault,
  schemaFaults,
} from "@devflow/json-schema";
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
  /** Why a schema cannot be used; empty when it can. */
  faults(id: string): readonly string[];
}

/** Above this many values only the first error is reported: a file of a million empty objects has millions of them. */
const manyValues = 20_000;

export function createSchemaRegistry(schemas: Readonly<Record<string, object>>): SchemaRegistry {
  const ids = Object.keys(schemas).sort();
  const checked = new Map<string, readonly string[]>();
  const documents = Object.entries(schemas).map(([id, schema]) => [addressOf(id), schema as Schema]);
  const set = createSchemaSet({ ...metaSchemas, ...Object.fromEntries(documents) });
  const asserts = assertsIn(set);

  const load = (id: string): JsonSchema => {
    if (Object.hasOwn(schemas, id)) return schemas[id] as JsonSchema;
    const near = nearest(id, ids);
    const next = near ? `Did you mean ${near}?` : `Known schemas: ${ids.join(", ")}`;
    throw new DevflowError("artifact_schema_unknown", { details: { schema: id, next } });
  };

  const faults = (id: string): readonly string[] => {
    const known = checked.get(id);
    if (known) return known;
    const found = schemaFaults(set, addressOf(id), (errors) =>
      describeErrors(errors).map(({ path, message }) => `${path}: ${message}`),
    );
    checked.set(id, found);
    return found;
  };

  return {
    ids,
    load,
    faults,
    validate(id, data) {
      const schema = load(id);
      const found = faults(id);
      if (found.length > 0)
        throw new DevflowError("artifact_schema_load_failed", { details: { schema: id, reason: found.join("; ") } });
      try {
        const errors = evaluate(set, schema, data, { asserts, firstOnly: !isSmall(data) });
        return errors.length === 0 ? { ok: true } : { ok: false, errors: describeErrors(errors) };
      } catch (error) {
        if (!(error instanceof SchemaFault || error instanceof RangeError)) throw error;
        const message = "is nested too deeply, or its schema refers to itself without end";
        return { ok: false, errors: [{ path: "(file)", message }] };
      }
    },
  };
}

const addressOf = (id: string): string => `devflow:${id}`;

const shipped = createSchemaRegistry(shippedSchemas);
export const schemaIds: readonly string[] = shipped.ids;
export const isKnownSchema = (id: string): boolean => schemaIds.includes(id);
export const loadSchema = (id: string): JsonSchema => shipped.load(id);
export const validateArtifact = (id: string, data: unknown): ArtifactVerdict => shipped.validate(id, data);

/** Shipped schemas cannot be replaced. */
export function schemasWith(own: Readonly<Record<string, object>>): SchemaRegistry {
  return Object.keys(own).length === 0 ? shipped : createSchemaRegistry({ ...own, ...shippedSchemas });
}

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
