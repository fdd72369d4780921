/** Reads and writes attributes in OTLP's JSON encoding, where 64-bit integers are strings. */
import { type Fields, fields, list } from "../fields.ts";

export type Attributes = Readonly<Record<string, unknown>>;

export function readAttributes(given: unknown): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  for (const item of list(given)) {
    const { key, value } = fields(item);
    if (typeof key === "string") read[key] = readValue(fields(value), 0);
  }
  return read;
}

function readValue(value: Fields, depth: number): unknown {
  if (depth > 20) return null;
  if ("stringValue" in value) return value.stringValue;
  if ("boolValue" in value) return value.boolValue;
  if ("intValue" in value) return Number(value.intValue);
  // Protobuf's JSON writes NaN and the infinities as strings.
  if ("doubleValue" in value)
    return typeof value.doubleValue === "string" ? Number(value.doubleValue) : value.doubleValue;
  if ("arrayValue" in value)
    return list(fields(value.arrayValue).values).map((item) => readValue(fields(item), depth + 1));
  if ("kvlistValue" in value) {
    const pairs = list(fields(value.kvlistValue).values).map(fields);
    return Object.fromEntries(pairs.map((pair) => [String(pair.key), readValue(fields(pair.value), depth + 1)]));
  }
  return null;
}

export function writeAttributes(attributes: Attributes): unknown[] {
  return Object.entries(attributes)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => ({ key, value: writeValue(value) }));
}

function writeValue(value: unknown): unknown {
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(writeValue) } };
  return { stringValue: typeof value === "string" ? value : JSON.stringify(value) };
}
