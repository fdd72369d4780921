/**
 * The keywords of JSON Schema that look at one value and at nothing below it.
 *
 * - `failedAssertions(schema, value)` each keyword that does not hold, with the figures that a message needs.
 */
import { canonical } from "./canonical.ts";
import type { SchemaObject } from "./schema-set.ts";

export interface FailedKeyword {
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export function* failedAssertions(schema: SchemaObject, value: unknown): Generator<FailedKeyword> {
  if (schema.type !== undefined) {
    const types = [schema.type].flat() as string[];
    if (!types.some((type) => hasType(value, type))) yield { keyword: "type", params: { type: types.join(",") } };
  }
  if (typeof value === "number") yield* ofNumber(schema, value);
  else if (typeof value === "string") yield* ofString(schema, value);
  else if (Array.isArray(value)) yield* ofArray(schema, value);
  else if (typeof value === "object" && value !== null) yield* ofObject(schema, value);
  if (Object.hasOwn(schema, "const") && canonical(schema.const) !== canonical(value))
    yield { keyword: "const", params: { allowedValue: schema.const } };
  if (Array.isArray(schema.enum)) {
    const text = canonical(value);
    if (!schema.enum.some((one) => canonical(one) === text))
      yield { keyword: "enum", params: { allowedValues: schema.enum } };
  }
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

const comparisons = {
  maximum: ["<=", (value: number, limit: number) => value <= limit],
  exclusiveMaximum: ["<", (value: number, limit: number) => value < limit],
  minimum: [">=", (value: number, limit: number) => value >= limit],
  exclusiveMinimum: [">", (value: number, limit: number) => value > limit],
} as const;

function* ofNumber(schema: SchemaObject, value: number): Generator<FailedKeyword> {
  for (const [keyword, [comparison, holds]] of Object.entries(comparisons)) {
    const limit = schema[keyword];
    if (typeof limit === "number" && !holds(value, limit)) yield { keyword, params: { comparison, limit } };
  }
  const { multipleOf } = schema;
  if (typeof multipleOf === "number" && !isMultiple(value, multipleOf))
    yield { keyword: "multipleOf", params: { multipleOf } };
}

/** In decimal digits: as binary fractions, 4.35 is not a multiple of 0.01. */
function isMultiple(value: number, of: number): boolean {
  const [a, b] = [decimal(value), decimal(of)];
  const least = Math.min(a.exponent, b.exponent);
  const whole = ({ digits, exponent }: Decimal) => digits * 10n ** BigInt(exponent - least);
  return whole(b) !== 0n && whole(a) % whole(b) === 0n;
}

interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

function decimal(value: number): Decimal {
  const [mantissa = "0", power = "0"] = value.toExponential().split("e");
  const [, fraction = ""] = mantissa.split(".");
  return { digits: BigInt(mantissa.replace(".", "")), exponent: Number(power) - fraction.length };
}

function* ofString(schema: SchemaObject, value: string): Generator<FailedKeyword> {
  const { minLength, maxLength, pattern } = schema;
  if (typeof minLength === "number" || typeof maxLength === "number") {
    const length = [...value].length;
    if (typeof maxLength === "number" && length > maxLength)
      yield { keyword: "maxLength", params: { limit: maxLength } };
    if (typeof minLength === "number" && length < minLength)
      yield { keyword: "minLength", params: { limit: minLength } };
  }
  if (typeof pattern === "string" && !patternOf(pattern).test(value)) yield { keyword: "pattern", params: { pattern } };
}

const patterns = new Map<string, RegExp>();

export function patternOf(source: string): RegExp {
  const known = patterns.get(source);
  if (known) return known;
  let made: RegExp;
  try {
    made = new RegExp(source, "u");
  } catch {
    // Without the flag some escapes are allowed that it forbids.
    made = new RegExp(source);
  }
  patterns.set(source, made);
  return made;
}

function* ofArray(schema: SchemaObject, value: readonly unknown[]): Generator<FailedKeyword> {
  const { minItems, maxItems } = schema;
  if (typeof maxItems === "number" && value.length > maxItems)
    yield { keyword: "maxItems", params: { limit: maxItems } };
  if (typeof minItems === "number" && value.length < minItems)
    yield { keyword: "minItems", params: { limit: minItems } };
  if (schema.uniqueItems !== true) return;
  const seen = new Map<string, number>();
  for (const [i, item] of value.entries()) {
    const text = canonical(item);
    const j = seen.get(text);
    if (j !== undefined) return yield { keyword: "uniqueItems", params: { i, j } };
    seen.set(text, i);
  }
}

function* ofObject(schema: SchemaObject, value: object): Generator<FailedKeyword> {
  const names = Object.keys(value);
  const { maxProperties, minProperties, required, dependentRequired } = schema;
  if (typeof maxProperties === "number" && names.length > maxProperties)
    yield { keyword: "maxProperties", params: { limit: maxProperties } };
  if (typeof minProperties === "number" && names.length < minProperties)
    yield { keyword: "minProperties", params: { limit: minProperties } };
  for (const name of Array.isArray(required) ? (required as string[]) : [])
    if (!Object.hasOwn(value, name)) yield { keyword: "required", params: { missingProperty: name } };
  for (const [property, needed] of Object.entries((dependentRequired ?? {}) as Record<string, readonly string[]>)) {
    if (!Object.hasOwn(value, property)) continue;
    for (const name of needed)
      if (!Object.hasOwn(value, name))
        yield { keyword: "dependentRequired", params: { property, missingProperty: name } };
  }
}
