/** Expectations about extracted fields. */
import { z } from "zod";
import { defineExpectation, type ExpectationType, wholeCount, within } from "../define-expectation.ts";
import { foldCase } from "../labels.ts";
import { failing } from "../outcome.ts";
import {
  dotted,
  type Found,
  isBlank,
  isObject,
  type OutputReader,
  shown,
  typeName,
  wrongType,
} from "../output-reader.ts";
import { compileAll, ignoreCase, patternsSchema, searchPatterns } from "../search-patterns.ts";
import { characterCount, normalText } from "../text-measures.ts";

const fieldName = z.string().min(1, "name the field");

/** In the extracted fields first, then in the output. */
function lookUp({ members }: OutputReader, field: string): Found<unknown> {
  const extracted = dotted(members.extracted_fields, field);
  if (extracted !== undefined && extracted !== null)
    return { value: extracted, place: `output.extracted_fields.${field}` };
  return { value: dotted(members, field) ?? extracted, place: `output.${field}` };
}

function required(output: OutputReader, field: string): Found<unknown> {
  const found = lookUp(output, field);
  if (found.value !== undefined && found.value !== null) return found;
  const fields = isObject(output.members.extracted_fields)
    ? Object.keys(output.members.extracted_fields)
    : Object.keys(output.members);
  throw failing(`output has no field \`${field}\`; it has: ${fields.slice(0, 20).join(", ") || "nothing"}`, {
    expected: field,
    actual: fields.slice(0, 20),
    place: "output",
  });
}

/** Why the value does not count as filled, or undefined. */
function lack({ value }: Found<unknown>, minLength: number): string | undefined {
  if (isBlank(value)) return value === undefined ? "is missing" : `is empty (${typeName(value)})`;
  if (typeof value === "string" && characterCount(normalText(value)) < minLength) {
    return `has ${characterCount(normalText(value))} characters, expected at least ${minLength}`;
  }
  if (Array.isArray(value) && value.length < minLength)
    return `has ${value.length} elements, expected at least ${minLength}`;
  return undefined;
}

function isEqual(a: unknown, b: unknown, fold: boolean): boolean {
  if (typeof a === "string" && typeof b === "string") {
    const key = (text: string) => (fold ? foldCase(normalText(text).trim()) : normalText(text).trim());
    return key(a) === key(b);
  }
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((one, index) => isEqual(one, b[index], fold));
  if (isObject(a) && isObject(b)) {
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key], fold))
    );
  }
  return a === b;
}

const readsField = "output.extracted_fields.F → output.F (dotted path)";

export const fields: readonly ExpectationType[] = [
  defineExpectation({
    type: "has_field",
    category: "Field extraction",
    reads: readsField,
    passes:
      "the value is not null, blank, [] or {}; a string has at least `min_length` characters, a list at least `min_length` elements",
    notes: "numbers and booleans count as filled and ignore `min_length`",
    parameters: z.strictObject({ field: fieldName, min_length: wholeCount.default(1) }),
    check({ field, min_length }, output) {
      const found = lookUp(output, field);
      const why = lack(found, min_length);
      return {
        passed: why === undefined,
        message: `${found.place} ${why ?? "is filled"}`,
        expected: { field, min_length },
        actual: found.value ?? null,
        place: found.place,
      };
    },
  }),
  defineExpectation({
    type: "has_fields",
    category: "Field extraction",
    reads: readsField,
    passes: "each of `fields` passes has_field",
    notes: "all missing fields are listed",
    parameters: z.strictObject({ fields: z.array(fieldName).min(1, "name at least one field") }),
    check({ fields: names }, output) {
      const missing = names.filter((field) => lack(lookUp(output, field), 1) !== undefined);
      return {
        passed: missing.length === 0,
        message: missing.length === 0 ? `output has ${names.join(", ")}` : `output lacks ${missing.join(", ")}`,
        expected: names,
        actual: { missing },
        place: "output",
      };
    },
  }),
  defineExpectation({
    type: "field_is",
    category: "Field extraction",
    reads: readsField,
    passes: "the values are deeply equal; strings are trimmed",
    notes: '1 equals 1.0, "1" does not equal 1',
    parameters: z.strictObject({
      field: fieldName,
      value: z.unknown().refine((value) => value !== undefined, "give a value"),
      ignore_case: ignoreCase,
    }),
    check({ field, value, ignore_case }, output) {
      const found = lookUp(output, field);
      if (found.value === undefined) required(output, field);
      return {
        passed: isEqual(found.value, value, ignore_case),
        message: `${found.place} is ${shown(found.value)}, expected ${shown(value)}`,
        expected: value,
        actual: found.value,
        place: found.place,
      };
    },
  }),
  defineExpectation({
    type: "field_contains",
    category: "Field extraction",
    reads: readsField,
    passes:
      "a string contains every pattern; in a list, every pattern is in some element; an object is searched as JSON text",
    parameters: z.strictObject({ field: fieldName, patterns: patternsSchema, ignore_case: ignoreCase }),
    check({ field, patterns, ignore_case }, output) {
      const found = required(output, field);
      const compiled = compileAll(patterns, ignore_case);
      const textOf = (value: unknown) => normalText(typeof value === "string" ? value : JSON.stringify(value));
      if (!Array.isArray(found.value)) {
        if (typeof found.value !== "string" && !isObject(found.value))
          throw wrongType(found, "a string, a list or an object");
        return searchPatterns("all", compiled, { value: textOf(found.value), place: found.place });
      }
      const elements = found.value.map(textOf);
      const absent = compiled
        .filter((pattern) => !elements.some((text) => pattern.find(text) !== undefined))
        .map((pattern) => pattern.shown);
      return {
        passed: absent.length === 0,
        message:
          absent.length === 0
            ? `${found.place} contains all patterns`
            : `no element of ${found.place} contains ${absent.map((one) => shown(one)).join(", ")}`,
        expected: compiled.map((pattern) => pattern.shown),
        actual: found.value.slice(0, 50),
        place: found.place,
        details: { absent },
      };
    },
  }),
  defineExpectation({
    type: "field_missing",
    category: "Field extraction",
    reads: readsField,
    passes: "the key is absent, or null, blank, [] or {}",
    notes: "the only type that passes for an absent field",
    parameters: z.strictObject({ field: fieldName }),
    check({ field }, output) {
      const found = lookUp(output, field);
      const passed = isBlank(found.value);
      return {
        passed,
        message: `${found.place} is ${passed ? "empty" : shown(found.value)}`,
        expected: null,
        actual: found.value ?? null,
        place: found.place,
      };
    },
  }),
  defineExpectation({
    type: "min_fields_filled",
    category: "Field extraction",
    reads: "the keys of output.extracted_fields",
    passes: "the number of filled keys (as in has_field) is at least `value`",
    notes: "top level only; 0 and false count as filled",
    parameters: z.strictObject({ value: wholeCount }),
    check({ value }, output) {
      const found = output.value("extracted_fields");
      if (!isObject(found.value)) throw wrongType(found, "an object");
      const filled = Object.entries(found.value).filter(([, one]) => !isBlank(one));
      return {
        ...within(filled.length, { min: value }, "filled fields", found.place),
        details: filled.map(([key]) => key).slice(0, 100),
      };
    },
  }),
];
