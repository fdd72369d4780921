/**
 * The keywords of JSON Schema that look at one value and at nothing below it.
 *
 * - `checkAssertions(schema, value, fail)` calls `fail` for each keyword that does not hold, with the figures that a message
 *   needs.
 */
import { canonical } from "./canonical.ts";
import type { SchemaObject } from "./schema-set.ts";

export type Fail = (keyword: string, params: Readonly<Record<string, unknown>>) => void;

export function checkAssertions(schema: SchemaObject, value: unknown, fail: Fail): void {
  if (schema.type !== undefined) {
    const types = (typeof schema.type === "string" ? [schema.type] : schema.type) as readonly string[];
    if (!types.some((type) => hasType(value, type))) fail("type", { type: types.join(",") });
  }
  if (typeof value === "number") ofNumber(schema, value, fail);
  else if (typeof value === "string") ofString(schema, value, fail);
  else if (Array.isArray(value)) ofArray(schema, value, fail);
  else if (typeof value === "object" && value !== null) ofObject(schema, value, fail);
  if (Object.hasOwn(schema, "const") && !isEqual(schema.const, value)) fail("const", { allowedValue: schema.const });
  if (Array.isArray(schema.enum) && !schema.enum.some((one) => isEqual(one, value)))
    fail("enum", { allowedValues: schema.enum });
}

function isEqual(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  return canonical(a) === canonical(b);
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

const numberKeywords = Object.keys(comparisons) as (keyof typeof comparisons)[];

function ofNumber(schema: SchemaObject, value: number, fail: Fail): void {
  for (const keyword of numberKeywords) {
    const limit = schema[keyword];
    if (typeof limit !== "number") continue;
    const [comparison, holds] = comparisons[keyword];
    if (!holds(value, limit)) fail(keyword, { comparison, limit });
  }
  const { multipleOf } = schema;
  if (typeof multipleOf === "number" && !isMultiple(value, multipleOf)) fail("multipleOf", { multipleOf });
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

function ofString(schema: SchemaObject, value: string, fail: Fail): void {
  const { minLength, maxLength, pattern } = schema;
  // A character has one or two units, so most texts need no counting.
  if (typeof maxLength === "number" && value.length > maxLength && [...value].length > maxLength)
    fail("maxLength", { limit: maxLength });
  if (typeof minLength === "number" && value.length < 2 * minLength && [...value].length < minLength)
    fail("minLength", { limit: minLength });
  if (typeof pattern === "string" && !patternOf(pattern).test(value)) fail("pattern", { pattern });
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

function ofArray(schema: SchemaObject, value: readonly unknown[], fail: Fail): void {
  const { minItems, maxItems } = schema;
  if (typeof maxItems === "number" && value.length > maxItems) fail("maxItems", { limit: maxItems });
  if (typeof minItems === "number" && value.length < minItems) fail("minItems", { limit: minItems });
  if (schema.uniqueItems !== true) return;
  const seen = new Map<string, number>();
  for (const [i, item] of value.entries()) {
    const text = canonical(item);
    const j = seen.get(text);
    if (j !== undefined) {
      fail("uniqueItems", { i, j });
      return;
    }
    seen.set(text, i);
  }
}

function ofObject(schema: SchemaObject, value: object, fail: Fail): void {
  const names = Object.keys(value);
  const { maxProperties, minProperties, required, dependentRequired } = schema;
  if (typeof maxProperties === "number" && names.length > maxProperties)
    fail("maxProperties", { limit: maxProperties });
  if (typeof minProperties === "number" && names.length < minProperties)
    fail("minProperties", { limit: minProperties });
  for (const name of Array.isArray(required) ? (required as string[]) : [])
    if (!Object.hasOwn(value, name)) fail("required", { missingProperty: name });
  for (const [property, needed] of Object.entries((dependentRequired ?? {}) as Record<string, readonly string[]>)) {
    if (!Object.hasOwn(value, property)) continue;
    for (const name of needed)
      if (!Object.hasOwn(value, name)) fail("dependentRequired", { property, missingProperty: name });
  }
}
