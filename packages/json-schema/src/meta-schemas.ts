/**
 * The meta-schemas of JSON Schema 2020-12, by address, and what a document's own meta-schema means for it.
 *
 * - `metaSchemas` the standard's own, from the files of ajv.
 * - `assertsIn(set)` whether the keywords of the validation vocabulary count in a resource.
 * - `unknownVocabulary(metaSchema)` a vocabulary that it requires and that is not known here.
 */
import applicator from "ajv/dist/refs/json-schema-2020-12/meta/applicator.json" with { type: "json" };
import content from "ajv/dist/refs/json-schema-2020-12/meta/content.json" with { type: "json" };
import core from "ajv/dist/refs/json-schema-2020-12/meta/core.json" with { type: "json" };
import format from "ajv/dist/refs/json-schema-2020-12/meta/format-annotation.json" with { type: "json" };
import metaData from "ajv/dist/refs/json-schema-2020-12/meta/meta-data.json" with { type: "json" };
import unevaluated from "ajv/dist/refs/json-schema-2020-12/meta/unevaluated.json" with { type: "json" };
import validation from "ajv/dist/refs/json-schema-2020-12/meta/validation.json" with { type: "json" };
import schema from "ajv/dist/refs/json-schema-2020-12/schema.json" with { type: "json" };
import { isObject, type Resource, type Schema, type SchemaSet } from "./schema-set.ts";

export const standardMetaSchema = schema.$id;

export const metaSchemas: Readonly<Record<string, Schema>> = Object.fromEntries(
  [schema, applicator, content, core, format, metaData, unevaluated, validation].map((one) => [one.$id, one]),
);

const vocabulary = (name: string): string => `https://json-schema.org/draft/2020-12/vocab/${name}`;
const known = new Set(
  ["core", "applicator", "unevaluated", "validation", "meta-data", "format-annotation", "content"].map(vocabulary),
);

export function assertsIn(set: SchemaSet): (resource: Resource) => boolean {
  const answers = new Map<Resource, boolean>();
  return (resource) => {
    const before = answers.get(resource);
    if (before !== undefined) return before;
    const vocabularies = vocabulariesOf(set.document(String(resource.root.$schema ?? "")));
    const answer = vocabularies === undefined || Object.hasOwn(vocabularies, vocabulary("validation"));
    answers.set(resource, answer);
    return answer;
  };
}

export function unknownVocabulary(metaSchema: Schema): string | undefined {
  const required = Object.entries(vocabulariesOf(metaSchema) ?? {}).filter(([, isRequired]) => isRequired === true);
  return required.find(([name]) => !known.has(name))?.[0];
}

function vocabulariesOf(metaSchema: Schema | undefined): object | undefined {
  return isObject(metaSchema) && isObject(metaSchema.$vocabulary) ? metaSchema.$vocabulary : undefined;
}
