/**
 * Evaluates a value against a schema as JSON Schema 2020-12 defines it.
 *
 * - `evaluate(set, schema, value, options)` every keyword that failed; empty when the value is valid.
 *
 * Each schema is evaluated in a dynamic scope, the resources entered on the way to it, which decides what `$dynamicRef`
 * means, and answers which members and entries it has evaluated, which decides what `unevaluated…` means. `content…` and,
 * unless the caller makes it a requirement, `format` are annotations: they assert nothing.
 */
import { checkAssertions, patternOf } from "./assertions.ts";
import { isObject, type Resource, type Schema, type SchemaObject, type SchemaSet } from "./schema-set.ts";

export interface EvaluationError {
  readonly keyword: string;
  /** A JSON pointer into the value. */
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly parentSchema: SchemaObject;
  readonly data: unknown;
}

export interface EvaluateOptions {
  /** Stop at the first error. */
  readonly firstOnly?: boolean;
  /** Whether the schemas of a resource assert anything, by the vocabularies of its meta-schema. */
  readonly asserts?: (resource: Resource) => boolean;
  /** Makes `format` a requirement. */
  readonly hasFormat?: (format: string, value: unknown) => boolean;
}

/** A reference that leads nowhere, or schemas that refer to one another without end. */
export class SchemaFault extends Error {}

export function evaluate(
  set: SchemaSet,
  schema: Schema,
  value: unknown,
  { firstOnly = false, asserts = () => true, hasFormat }: EvaluateOptions = {},
): readonly EvaluationError[] {
  const run: Run = { set, errors: [], firstOnly, asserts, hasFormat, tentative: 0, depth: 0 };
  apply(run, schema, value, undefined, []);
  return run.errors;
}

interface Run {
  readonly set: SchemaSet;
  readonly errors: EvaluationError[];
  readonly firstOnly: boolean;
  readonly asserts: (resource: Resource) => boolean;
  readonly hasFormat: EvaluateOptions["hasFormat"];
  /** Inside a branch that may fail without failing the whole. */
  tentative: number;
  depth: number;
}

/** What a schema has looked at, for `unevaluated…` beside or above it. */
interface Seen {
  readonly names: Set<string>;
  readonly entries: Set<number>;
}

type Scope = readonly Resource[];

/** Where a value is, from the inside out; made into text only for an error. */
interface Path {
  readonly above: Path | undefined;
  readonly key: string | number;
}

function pointerOf(path: Path | undefined): string {
  const keys: string[] = [];
  for (let at = path; at; at = at.above) keys.push(String(at.key).replaceAll("~", "~0").replaceAll("/", "~1"));
  return keys
    .reverse()
    .map((key) => `/${key}`)
    .join("");
}

const deepest = 2_000;

const isDone = (run: Run): boolean => run.firstOnly && run.tentative === 0 && run.errors.length > 0;

/** Undefined: invalid. */
function apply(run: Run, schema: Schema, value: unknown, path: Path | undefined, scope: Scope): Seen | undefined {
  if (schema === true || isDone(run)) return unasked;
  if (schema === false) {
    run.errors.push({ keyword: "false", instancePath: pointerOf(path), params: {}, parentSchema: {}, data: value });
    return undefined;
  }
  if (++run.depth > deepest) throw new SchemaFault("it refers to itself without end");
  try {
    return new Evaluation(run, schema, value, path, scope).all();
  } finally {
    run.depth -= 1;
  }
}

const nothing = (): Seen => ({ names: new Set(), entries: new Set() });
/** Stands for what was seen where nobody asks. Nothing is ever added to it. */
const unasked: Seen = nothing();

class Evaluation {
  private readonly seen: Seen;
  private readonly keeps: boolean;
  private isValid = true;
  private readonly run: Run;
  private readonly schema: SchemaObject;
  private readonly value: unknown;
  private readonly path: Path | undefined;
  private readonly scope: Scope;
  private readonly resource: Resource | undefined;

  constructor(run: Run, schema: SchemaObject, value: unknown, path: Path | undefined, scope: Scope) {
    this.run = run;
    this.keeps = run.set.asksForUnevaluated;
    this.seen = this.keeps ? nothing() : unasked;
    this.schema = schema;
    this.value = value;
    this.path = path;
    this.resource = run.set.resourceOf(schema) ?? scope.at(-1);
    this.scope = this.resource && this.resource !== scope.at(-1) ? [...scope, this.resource] : scope;
  }

  all(): Seen | undefined {
    const { schema, value, run } = this;
    if (!this.resource || run.asserts(this.resource))
      checkAssertions(schema, value, (keyword, params) => this.fail(keyword, params));
    const { format } = schema;
    if (run.hasFormat && typeof format === "string" && !run.hasFormat(format, value)) this.fail("format", { format });
    this.references();
    this.combinations();
    if (Array.isArray(value)) this.entries(value);
    else if (isObject(value)) this.members(value);
    return this.isValid ? this.seen : undefined;
  }

  private fail(keyword: string, params: Readonly<Record<string, unknown>> = {}): void {
    this.isValid = false;
    if (isDone(this.run)) return;
    const { schema: parentSchema, value: data } = this;
    this.run.errors.push({ keyword, instancePath: pointerOf(this.path), params, parentSchema, data });
  }

  private references(): void {
    const { $ref, $dynamicRef } = this.schema;
    if (typeof $ref === "string") {
      const { schema, resource } = this.resolved($ref);
      this.inPlace(schema, this.entering(resource));
    }
    if (typeof $dynamicRef !== "string") return;
    const first = this.resolved($dynamicRef);
    const { anchor } = first;
    const isDynamic = anchor !== undefined && first.resource.dynamicAnchors.get(anchor) === first.schema;
    const outermost = isDynamic ? this.scope.find((one) => one.dynamicAnchors.has(anchor)) : undefined;
    const resource = outermost ?? first.resource;
    this.inPlace(outermost?.dynamicAnchors.get(anchor ?? "") ?? first.schema, this.entering(resource));
  }

  private resolved(reference: string) {
    const found = this.resource && this.run.set.resolve(reference, this.resource);
    if (found) return found;
    throw new SchemaFault(`the reference ${reference} leads nowhere`);
  }

  private entering(resource: Resource): Scope {
    return resource === this.scope.at(-1) ? this.scope : [...this.scope, resource];
  }

  /** Evaluates the same value; what it has seen counts here too. */
  private inPlace(schema: Schema, scope: Scope = this.scope): void {
    const seen = apply(this.run, schema, this.value, this.path, scope);
    if (seen) this.add(seen);
    else this.isValid = false;
  }

  private add({ names, entries }: Seen): void {
    if (!this.keeps) return;
    for (const name of names) this.seen.names.add(name);
    for (const entry of entries) this.seen.entries.add(entry);
  }

  /** Evaluates without consequences: the errors are returned, and kept only if the caller keeps them. */
  private attempt(
    schema: Schema,
    value: unknown,
    path: Path | undefined,
  ): { seen: Seen | undefined; errors: EvaluationError[] } {
    const { run } = this;
    const before = run.errors.length;
    run.tentative += 1;
    const seen = apply(run, schema, value, path, this.scope);
    run.tentative -= 1;
    return { seen, errors: run.errors.splice(before) };
  }

  private combinations(): void {
    const { schema, value, path, run } = this;
    const { not, anyOf, oneOf, allOf } = schema;
    if (not !== undefined && this.attempt(not as Schema, value, path).seen) this.fail("not");
    if (Array.isArray(anyOf)) {
      const tried = (anyOf as Schema[]).map((one) => this.attempt(one, value, path));
      for (const { seen } of tried) if (seen) this.add(seen);
      if (!tried.some(({ seen }) => seen)) {
        run.errors.push(...tried.flatMap(({ errors }) => errors));
        this.fail("anyOf");
      }
    }
    if (Array.isArray(oneOf)) {
      const tried = (oneOf as Schema[]).map((one) => this.attempt(one, value, path));
      const passing = tried.flatMap(({ seen }) => (seen ? [seen] : []));
      if (passing.length === 0) run.errors.push(...tried.flatMap(({ errors }) => errors));
      if (passing.length === 1) this.add(passing[0] as Seen);
      else this.fail("oneOf", { passing: passing.length });
    }
    for (const one of Array.isArray(allOf) ? (allOf as Schema[]) : []) this.inPlace(one);
    if (schema.if !== undefined) {
      const { seen } = this.attempt(schema.if as Schema, value, path);
      if (seen) this.add(seen);
      const branch = seen ? schema.then : schema.else;
      if (branch !== undefined) this.inPlace(branch as Schema);
    }
    if (!isObject(value)) return;
    for (const [name, one] of Object.entries((schema.dependentSchemas ?? {}) as Record<string, Schema>))
      if (Object.hasOwn(value, name)) this.inPlace(one);
  }

  private below(schema: Schema, value: unknown, key: string | number): void {
    if (!apply(this.run, schema, value, { above: this.path, key }, this.scope)) this.isValid = false;
  }

  private entries(value: readonly unknown[]): void {
    const { schema, seen } = this;
    const prefix = Array.isArray(schema.prefixItems) ? (schema.prefixItems as Schema[]) : [];
    for (const [index, one] of prefix.slice(0, value.length).entries()) {
      this.below(one, value[index], index);
      this.see(index);
    }
    if (schema.items === false && value.length > prefix.length) {
      this.fail("items", { limit: prefix.length });
    } else if (schema.items !== undefined) {
      for (let index = prefix.length; index < value.length && !isDone(this.run); index++) {
        this.below(schema.items as Schema, value[index], index);
        this.see(index);
      }
    }
    if (schema.contains !== undefined) this.contained(value, schema.contains as Schema);
    const { unevaluatedItems: rest } = schema;
    if (rest === undefined) return;
    for (const [index, entry] of value.entries()) {
      if (seen.entries.has(index)) continue;
      if (rest === false) this.fail("unevaluatedItems", { index });
      else this.below(rest as Schema, entry, index);
      this.see(index);
    }
  }

  private see(entry: number): void {
    if (this.keeps) this.seen.entries.add(entry);
  }

  private contained(value: readonly unknown[], contains: Schema): void {
    const { minContains = 1, maxContains } = this.schema as { minContains?: number; maxContains?: number };
    let count = 0;
    for (const [index, entry] of value.entries()) {
      if (!this.attempt(contains, entry, { above: this.path, key: index }).seen) continue;
      this.see(index);
      count += 1;
    }
    if (this.resource && !this.run.asserts(this.resource)) return;
    if (count < minContains) this.fail("contains", { minContains, count });
    if (maxContains !== undefined && count > maxContains) this.fail("contains", { maxContains, count });
  }

  private members(value: SchemaObject): void {
    const { schema, seen } = this;
    const { additionalProperties: others, unevaluatedProperties: rest, propertyNames } = schema;
    const properties = (schema.properties ?? {}) as Record<string, Schema>;
    const byPattern = Object.entries((schema.patternProperties ?? {}) as Record<string, Schema>);
    const known = new Set<string>();
    for (const [name, one] of Object.entries(properties)) {
      if (!Object.hasOwn(value, name)) continue;
      known.add(name);
      this.below(one, value[name], name);
    }
    const names = Object.keys(value);
    for (const [pattern, one] of byPattern) {
      for (const name of names) {
        if (!patternOf(pattern).test(name)) continue;
        known.add(name);
        this.below(one, value[name], name);
      }
    }
    if (others !== undefined) {
      for (const name of names) {
        if (known.has(name)) continue;
        if (others === false) this.fail("additionalProperties", { additionalProperty: name });
        else this.below(others as Schema, value[name], name);
        known.add(name);
      }
    }
    if (this.keeps) for (const name of known) seen.names.add(name);
    if (propertyNames !== undefined) {
      for (const name of names)
        if (!this.attempt(propertyNames as Schema, name, this.path).seen) this.fail("propertyNames", { name });
    }
    if (rest === undefined) return;
    for (const name of names) {
      if (seen.names.has(name)) continue;
      if (rest === false) this.fail("unevaluatedProperties", { unevaluatedProperty: name });
      else this.below(rest as Schema, value[name], name);
      seen.names.add(name);
    }
  }
}
