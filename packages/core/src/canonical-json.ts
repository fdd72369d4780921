/**
 * Canonical JSON (RFC 8785): one byte sequence per value, so that equal content has an equal hash.
 *
 * - `canonicalize(value)` members sorted by UTF-16 code units, numbers in ECMAScript's shortest form, no whitespace.
 *
 * Members that are `undefined` are dropped, `-0` becomes `0`. Values that JSON cannot represent exactly are refused with
 * their path: NaN, infinities, bigint, functions, symbols, `undefined` in an array, objects that are not plain (a Date),
 * lone surrogates, cycles.
 */
export function canonicalize(value: unknown): string {
  return write(value, "$", new Set());
}

function write(value: unknown, path: string, parents: Set<object>): string {
  if (value === null) return "null";
  switch (typeof value) {
    case "boolean":
      return value ? "true" : "false";
    case "number":
      if (!Number.isFinite(value)) throw notCanonical(path, `${value} is not a JSON number`);
      return Object.is(value, -0) ? "0" : String(value);
    case "string":
      return writeString(value, path);
    case "object":
      return writeObject(value, path, parents);
    default:
      throw notCanonical(path, `a ${typeof value} has no JSON form`);
  }
}

function writeString(value: string, path: string): string {
  if (!value.isWellFormed()) throw notCanonical(path, "it contains a lone surrogate");
  return JSON.stringify(value);
}

function writeObject(value: object, path: string, parents: Set<object>): string {
  if (parents.has(value)) throw notCanonical(path, "it contains itself");
  parents.add(value);
  const text = Array.isArray(value)
    ? // Array.from, because map would skip a hole and write "[1,,3]".
      `[${Array.from(value, (item, index) => write(item, `${path}[${index}]`, parents)).join(",")}]`
    : writeMembers(value, path, parents);
  parents.delete(value);
  return text;
}

function writeMembers(value: object, path: string, parents: Set<object>): string {
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw notCanonical(path, `a ${value.constructor?.name ?? "non-plain object"} has no canonical form`);
  }
  const members = value as Record<string, unknown>;
  const names = Object.keys(members)
    .filter((name) => members[name] !== undefined)
    // The default string order is by UTF-16 code units, as RFC 8785 requires.
    .sort();
  const written = names.map((name) => `${writeString(name, path)}:${write(members[name], `${path}.${name}`, parents)}`);
  return `{${written.join(",")}}`;
}

function notCanonical(path: string, reason: string): TypeError {
  return new TypeError(`no canonical JSON for ${path}: ${reason}`);
}
