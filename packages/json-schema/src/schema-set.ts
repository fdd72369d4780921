/**
 * Schema documents that may refer to one another: where each subschema belongs, and what a reference leads to.
 *
 * - `createSchemaSet(documents)` documents by address. Nothing is ever fetched.
 * - `set.resolve(reference, from)` the schema that a `$ref` in `from` leads to; undefined when there is none.
 * - `set.resourceOf(schema)` the resource it belongs to: a document, or a part of one with its own `$id`.
 */

export type Schema = boolean | SchemaObject;
export interface SchemaObject {
  readonly [keyword: string]: unknown;
}

export interface Resource {
  /** Absolute, without a fragment. */
  readonly uri: string;
  readonly root: SchemaObject;
  /** `$anchor` and `$dynamicAnchor`. */
  readonly anchors: ReadonlyMap<string, Schema>;
  readonly dynamicAnchors: ReadonlyMap<string, Schema>;
}

export interface Resolved {
  readonly schema: Schema;
  readonly resource: Resource;
  /** The name after the #, when the reference ends in one. */
  readonly anchor: string | undefined;
}

export interface SchemaSet {
  document(address: string): Schema | undefined;
  resolve(reference: string, from: Resource): Resolved | undefined;
  resourceOf(schema: SchemaObject): Resource | undefined;
  /** Whether any schema asks what the others have evaluated; most documents do not, and are evaluated without keeping it. */
  readonly asksForUnevaluated: boolean;
  /** Every reference in the set, with the resource it stands in. */
  references(): readonly { readonly reference: string; readonly from: Resource }[];
}

/** Keywords whose value is a schema, a list of schemas, or schemas by name. Nothing else holds an `$id` or an anchor. */
const schemaKeywords: ReadonlySet<string> = new Set(
  "additionalProperties propertyNames items contains not if then else unevaluatedItems unevaluatedProperties contentSchema".split(
    " ",
  ),
);
const listKeywords: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const mapKeywords: ReadonlySet<string> = new Set([
  ...["$defs", "definitions", "properties", "patternProperties", "dependentSchemas"],
]);

interface Building {
  readonly uri: string;
  readonly root: SchemaObject;
  readonly anchors: Map<string, Schema>;
  readonly dynamicAnchors: Map<string, Schema>;
}

export function createSchemaSet(documents: Readonly<Record<string, Schema>>): SchemaSet {
  const resources = new Map<string, Building>();
  const owners = new Map<SchemaObject, Building>();
  const references: { reference: string; from: Resource }[] = [];
  let asksForUnevaluated = false;

  const visit = (schema: unknown, within: Building): void => {
    if (!isObject(schema)) return;
    const own =
      typeof schema.$id === "string" && schema !== within.root ? open(schema, schema.$id, within.uri) : within;
    owners.set(schema, own);
    asksForUnevaluated ||= schema.unevaluatedItems !== undefined || schema.unevaluatedProperties !== undefined;
    if (typeof schema.$anchor === "string") own.anchors.set(schema.$anchor, schema);
    if (typeof schema.$dynamicAnchor === "string") {
      own.anchors.set(schema.$dynamicAnchor, schema);
      own.dynamicAnchors.set(schema.$dynamicAnchor, schema);
    }
    for (const keyword of ["$ref", "$dynamicRef"]) {
      const reference = schema[keyword];
      if (typeof reference === "string") references.push({ reference, from: own });
    }
    for (const part of partsOf(schema)) visit(part, own);
  };
  const open = (root: SchemaObject, id: string, base: string): Building => {
    const uri = withoutFragment(absolute(id, base));
    const made = { uri, root, anchors: new Map(), dynamicAnchors: new Map() };
    resources.set(uri, made);
    return made;
  };

  for (const [address, document] of Object.entries(documents)) {
    if (!isObject(document)) continue;
    const found = open(document, typeof document.$id === "string" ? document.$id : address, address);
    resources.set(withoutFragment(address), found);
    visit(document, found);
  }

  return {
    document: (address) => (Object.hasOwn(documents, address) ? documents[address] : undefined),
    resourceOf: (schema) => owners.get(schema),
    references: () => references,
    asksForUnevaluated,
    resolve(reference, from) {
      const target = reference.startsWith("#") ? `${from.uri}${reference}` : absolute(reference, from.uri);
      const resource = resources.get(withoutFragment(target));
      if (!resource) return undefined;
      const fragment = decoded(target.includes("#") ? target.slice(target.indexOf("#") + 1) : "");
      if (fragment === "") return { schema: resource.root, resource, anchor: undefined };
      if (!fragment.startsWith("/")) {
        const schema = resource.anchors.get(fragment);
        return schema === undefined ? undefined : { schema, resource, anchor: fragment };
      }
      return follow(resource, fragment, owners);
    },
  };
}

/** A pointer may pass through a part with its own `$id`, and may lead to a place that no keyword knows. */
function follow(start: Resource, pointer: string, owners: ReadonlyMap<SchemaObject, Resource>): Resolved | undefined {
  let value: unknown = start.root;
  let resource = start;
  for (const part of pointer.slice(1).split("/")) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
    if (isObject(value)) resource = owners.get(value) ?? resource;
  }
  return typeof value === "boolean" || isObject(value) ? { schema: value, resource, anchor: undefined } : undefined;
}

export function partsOf(schema: SchemaObject): unknown[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (schemaKeywords.has(keyword)) return [value];
    if (listKeywords.has(keyword) && Array.isArray(value)) return value;
    if (mapKeywords.has(keyword) && isObject(value)) return Object.values(value);
    return [];
  });
}

export const isObject = (value: unknown): value is SchemaObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function absolute(reference: string, base: string): string {
  try {
    return new URL(reference, base).href;
  } catch {
    // A urn has no folders that a relative reference could be resolved in.
    return reference;
  }
}

const withoutFragment = (uri: string): string => (uri.includes("#") ? uri.slice(0, uri.indexOf("#")) : uri);

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
