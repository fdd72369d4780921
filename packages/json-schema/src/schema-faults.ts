/**
 * Why a schema document cannot be used.
 *
 * - `schemaFaults(set, address, describe)` every reason; empty when it can. `describe` turns errors of the meta-schema into
 *   sentences.
 */
import { patternOf } from "./assertions.ts";
import { type EvaluationError, evaluate } from "./evaluate.ts";
import { standardMetaSchema, unknownVocabulary } from "./meta-schemas.ts";
import { isObject, partsOf, type Resource, type SchemaObject, type SchemaSet } from "./schema-set.ts";

export function schemaFaults(
  set: SchemaSet,
  address: string,
  describe: (errors: readonly EvaluationError[]) => readonly string[],
): string[] {
  const document = set.document(address);
  if (document === undefined || typeof document === "boolean") return [];
  const named = typeof document.$schema === "string" ? document.$schema.replace(/#$/, "") : standardMetaSchema;
  const metaSchema = set.document(named);
  if (metaSchema === undefined) {
    return [`"$schema" is ${named}; only ${standardMetaSchema} and meta-schemas among your own schemas are supported`];
  }
  const vocabulary = unknownVocabulary(metaSchema);
  if (vocabulary !== undefined) return [`its meta-schema requires the unknown vocabulary ${vocabulary}`];
  const shape = evaluate(set, metaSchema, document);
  if (shape.length > 0) return [...describe(shape)];
  return [...brokenReferences(set, document), ...brokenPatterns(document)];
}

function brokenReferences(set: SchemaSet, document: SchemaObject): string[] {
  const own = new Set<Resource | undefined>();
  each(document, (schema) => own.add(set.resourceOf(schema)));
  return set.references().flatMap(({ reference, from }) => {
    if (!own.has(from) || set.resolve(reference, from)) return [];
    return [
      `the reference ${reference} leads nowhere; nothing is fetched, so it has to be in this file or in another schema`,
    ];
  });
}

function brokenPatterns(document: SchemaObject): string[] {
  const faults: string[] = [];
  each(document, ({ pattern, patternProperties }) => {
    const sources = [...(typeof pattern === "string" ? [pattern] : []), ...Object.keys(patternProperties ?? {})];
    for (const source of sources) {
      try {
        patternOf(source);
      } catch (error) {
        faults.push(`the pattern ${source} is not a regular expression: ${(error as Error).message}`);
      }
    }
  });
  return faults;
}

function each(schema: unknown, visit: (schema: SchemaObject) => void): void {
  if (!isObject(schema)) return;
  visit(schema);
  for (const part of partsOf(schema)) each(part, visit);
}
