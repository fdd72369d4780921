/**
 * Reads the output and the case, in the same way for every type.
 *
 * - `readOutput(output)` a plain string stands for `{ response, body }`; anything but a string or an object is FAIL.
 * - `reader.text(...keys)`, `.list(...)`, `.number(...)` the first key that is present and not null, or FAIL with what the
 *   output has instead; a wrong JSON type is FAIL with both types.
 * - `caseText(given, ...paths)`, `caseList(...)` from the case; if missing, ERROR: the check could not run.
 */
import { failing, impossible } from "./outcome.ts";
import { normalText } from "./text-measures.ts";

export type Members = Readonly<Record<string, unknown>>;

/** What a check sees of a case. */
export interface CheckedCase {
  readonly name: string;
  readonly input: Members;
  /** A suite's own severities, from least to most severe. */
  readonly severityOrder?: readonly (readonly string[])[] | undefined;
}

export interface Found<T> {
  readonly value: T;
  readonly place: string;
}

/** Where the answer's text is read from; not `response_preview`, which is cut. */
export const textKeys = ["body", "structured_content", "response", "text"] as const;
export const bodyKeys = ["body", "structured_content"] as const;

export interface OutputReader {
  readonly members: Members;
  find(...keys: readonly string[]): Found<unknown> | undefined;
  value(...keys: readonly string[]): Found<unknown>;
  text(...keys: readonly string[]): Found<string>;
  list(...keys: readonly string[]): Found<readonly unknown[]>;
  number(...keys: readonly string[]): Found<number>;
  /** A list whose elements are all objects. */
  objects(...keys: readonly string[]): Found<readonly Members[]>;
  missing(...keys: readonly string[]): Error;
}

export function readOutput(output: unknown): OutputReader {
  const members = membersOf(output);
  const find = (...keys: readonly string[]): Found<unknown> | undefined => {
    const key = keys.find((one) => Object.hasOwn(members, one) && members[one] !== null && members[one] !== undefined);
    return key === undefined ? undefined : { value: members[key], place: `output.${key}` };
  };
  const missing = (...keys: readonly string[]): Error => {
    const there = Object.keys(members).slice(0, 20);
    return failing(
      `output has no ${keys.map((key) => `\`${key}\``).join(" or ")}; it has: ${there.join(", ") || "nothing"}`,
      {
        expected: keys.join(" or "),
        actual: there,
        place: "output",
      },
    );
  };
  const value = (...keys: readonly string[]): Found<unknown> => {
    const found = find(...keys);
    if (!found) throw missing(...keys);
    return found;
  };
  const list = (...keys: readonly string[]): Found<readonly unknown[]> => {
    const found = value(...keys);
    if (!Array.isArray(found.value)) throw wrongType(found, "a list");
    return { value: found.value, place: found.place };
  };
  return {
    members,
    find,
    value,
    missing,
    list,
    text: (...keys) => asText(value(...keys)),
    number: (...keys) => asNumber(value(...keys)),
    objects(...keys) {
      const found = list(...keys);
      const wrong = found.value.findIndex((one) => !isObject(one));
      if (wrong >= 0) throw wrongType({ value: found.value[wrong], place: `${found.place}[${wrong}]` }, "an object");
      return found as Found<readonly Members[]>;
    },
  };
}

function membersOf(output: unknown): Members {
  if (typeof output === "string") return { response: output, body: output };
  if (isObject(output)) return output;
  throw wrongType({ value: output, place: "output" }, "an object or a string");
}

export function asText(found: Found<unknown>): Found<string> {
  if (typeof found.value !== "string") throw wrongType(found, "a string");
  return { value: normalText(found.value), place: found.place };
}

/** A number, or a string that is one; NaN and infinities are rejected. */
export function asNumber(found: Found<unknown>): Found<number> {
  const { value, place } = found;
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof number !== "number") throw wrongType(found, "a number");
  if (!Number.isFinite(number)) {
    throw failing(`${place} is ${shown(value)}, not a finite number`, {
      expected: "a number",
      actual: value,
      place,
    });
  }
  return { value: number, place };
}

export function wrongType({ value, place }: Found<unknown>, expected: string): Error {
  return failing(`${place} is ${typeName(value)}, expected ${expected}`, { expected, actual: typeName(value), place });
}

export function typeName(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "a list";
  return (
    { string: "a string", object: "an object", boolean: "a boolean", number: "a number" }[typeof value as string] ??
    typeof value
  );
}

export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Null, a blank string, an empty list or object. Numbers and booleans are never empty. */
export function isBlank(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (typeof value === "string") return value.trim() === "";
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

/** `a.b.c` inside objects; own members only. */
export function dotted(members: unknown, path: string): unknown {
  let value: unknown = members;
  for (const key of path.split(".")) {
    if (isObject(value) ? !Object.hasOwn(value, key) : !(Array.isArray(value) && /^\d+$/.test(key))) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** The first of an item's members that is present. */
export function firstMember(item: Members, ...keys: readonly string[]): unknown {
  for (const key of keys)
    if (Object.hasOwn(item, key) && item[key] !== null && item[key] !== undefined) return item[key];
  return undefined;
}

function caseValue({ input }: CheckedCase, ...paths: readonly string[]): Found<unknown> {
  for (const path of paths) {
    const value = dotted(input, path);
    if (value !== undefined && value !== null) return { value, place: `input.${path}` };
  }
  throw impossible(`the case has no ${paths.map((path) => `\`${path}\``).join(" or ")}: the check could not run`, {
    expected: paths.join(" or "),
    actual: Object.keys(input).slice(0, 20),
    place: "input",
  });
}

export function caseText(given: CheckedCase, ...paths: readonly string[]): Found<string> {
  const found = caseValue(given, ...paths);
  if (typeof found.value !== "string") throw caseType(found, "a string");
  return { value: normalText(found.value), place: found.place };
}

export function caseList(given: CheckedCase, ...paths: readonly string[]): Found<readonly unknown[]> {
  const found = caseValue(given, ...paths);
  if (!Array.isArray(found.value)) throw caseType(found, "a list");
  return { value: found.value, place: found.place };
}

function caseType({ value, place }: Found<unknown>, expected: string): Error {
  return impossible(`${place} is ${typeName(value)}, expected ${expected}: the check could not run`, {
    expected,
    actual: typeName(value),
    place,
  });
}

export function shown(value: unknown, length = 80): string {
  const text = (typeof value === "string" ? JSON.stringify(value) : String(JSON.stringify(value) ?? value)) ?? "";
  return text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text;
}
