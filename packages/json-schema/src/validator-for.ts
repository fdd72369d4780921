/**
 * Validates values against one schema, as people write it in eval suites.
 *
 * - `validatorFor(schema)` a function from a value to what is wrong with it; throws a `SchemaFault` if the schema cannot be
 *   used.
 *
 * A schema that names 2020-12 in `$schema` is evaluated as that standard defines it. Any other is evaluated the way draft 7
 * is used in practice: `items` may be a list, `dependencies` and `nullable` count, and `format` is a requirement.
 */
import { type EvaluateOptions, evaluate, SchemaFault } from "./evaluate.ts";
import { hasFormat } from "./formats.ts";
import { assertsIn, metaSchemas, standardMetaSchema } from "./meta-schemas.ts";
import { schemaFaults } from "./schema-faults.ts";
import { createSchemaSet, isObject, type Schema } from "./schema-set.ts";

export interface ValueFault {
  /** A JSON pointer into the value; empty for the value itself. */
  readonly path: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

const address = "https://schema.invalid/schema";

export function validatorFor(
  given: unknown,
  documents: Readonly<Record<string, Schema>> = {},
): (value: unknown) => ValueFault[] {
  if (typeof given !== "boolean" && !isObject(given)) throw new SchemaFault("a schema is an object, true or false");
  const named = isObject(given) && typeof given.$schema === "string" ? given.$schema.replace(/#$/, "") : undefined;
  const isStandard = named === standardMetaSchema || (named !== undefined && Object.hasOwn(documents, named));
  const schema = isStandard ? given : modern(given);
  const set = createSchemaSet({ ...metaSchemas, ...documents, [address]: schema });
  const faults = schemaFaults(set, address, (errors) =>
    errors.map(({ instancePath, keyword, params }) => `${instancePath || "it"}: ${keyword} ${JSON.stringify(params)}`),
  );
  if (faults.length > 0) throw new SchemaFault(faults.join("; "));
  const options: EvaluateOptions = { asserts: assertsIn(set), ...(isStandard ? {} : { hasFormat }) };
  return (value) =>
    evaluate(set, schema, value, options).map(({ instancePath: path, keyword, params }) => ({ path, keyword, params }));
}

/** Rewrites the keywords of draft 7 that have other names or another meaning in 2020-12. */
function modern(schema: unknown): Schema {
  if (!isObject(schema)) return schema as Schema;
  const made: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "$schema") continue;
    // Draft 7 has no other way to name a place in a schema.
    else if (keyword === "$id" && typeof value === "string" && value.startsWith("#")) made.$anchor = value.slice(1);
    else if (keyword === "items" && Array.isArray(value)) made.prefixItems = value.map(modern);
    else if (keyword === "additionalItems" && Array.isArray(schema.items)) made.items = modern(value);
    else if (keyword === "additionalItems") continue;
    else if (keyword === "dependencies" && isObject(value)) Object.assign(made, dependent(value));
    else if (keyword === "nullable" && value === true && typeof schema.type === "string")
      made.type = [schema.type, "null"];
    else if (keyword === "type" && made.type !== undefined) continue;
    else if (mapKeywords.has(keyword) && isObject(value)) made[keyword] = mapped(value);
    else if (listKeywords.has(keyword) && Array.isArray(value)) made[keyword] = value.map(modern);
    else if (schemaKeywords.has(keyword)) made[keyword] = modern(value);
    else made[keyword] = value;
  }
  return made;
}

const mapped = (members: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).map(([name, one]) => [name, modern(one)]));

function dependent(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const lists = Object.entries(given).filter(([, value]) => Array.isArray(value));
  const schemas = Object.entries(given).filter(([, value]) => !Array.isArray(value));
  return { dependentRequired: Object.fromEntries(lists), dependentSchemas: mapped(Object.fromEntries(schemas)) };
}

const mapKeywords: ReadonlySet<string> = new Set(
  "definitions $defs properties patternProperties dependentSchemas".split(" "),
);
const listKeywords: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const schemaKeywords: ReadonlySet<string> = new Set(
  "additionalProperties propertyNames items contains not if then else unevaluatedItems unevaluatedProperties".split(
    " ",
  ),
);
