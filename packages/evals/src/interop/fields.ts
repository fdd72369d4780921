/** Reads members of untrusted records: null if absent or of the wrong type. */
import { hash, hashBytes } from "@devflow/core/hash";

export type Fields = Readonly<Record<string, unknown>>;

export function fields(value: unknown): Fields {
  return isFields(value) ? value : {};
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A non-empty string, else null. */
export function text(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

export function number(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export function count(value: unknown): number {
  const given = number(value);
  return given === null || given < 0 ? 0 : given;
}

export function texts(value: unknown): string[] {
  return list(value).filter((item): item is string => typeof item === "string");
}

/** The members that are numbers. */
export function numbers(value: unknown): Record<string, number> {
  return Object.fromEntries(Object.entries(fields(value)).filter(([, item]) => number(item) !== null)) as Record<
    string,
    number
  >;
}

export function pick(record: Fields, names: readonly string[]): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const name of names) {
    const value = record[name];
    if (value !== undefined && value !== null) kept[name] = value;
  }
  return kept;
}

/** The hash used for pairing. Text without a canonical form (a lone surrogate) is repaired first. */
export function shaOf(input: unknown): string | null {
  if (input === null || input === undefined) return null;
  try {
    return hash(input);
  } catch {
    return hashBytes(JSON.stringify(input).toWellFormed());
  }
}

/** The name of a case whose file gives none, from what it was asked. */
export function nameFrom(words: string): string {
  const line = words.replace(/\s+/g, " ").trim();
  return line.length > 100 ? `${line.slice(0, 99).toWellFormed()}…` : line || "unnamed";
}

const previewLength = 280;

export function previewOf(output: unknown): string | null {
  if (output === null || output === undefined) return null;
  const whole = typeof output === "string" ? output : JSON.stringify(output);
  return whole.length <= previewLength ? whole : `${whole.slice(0, previewLength - 1).toWellFormed()}…`;
}

/** An ISO date in UTC, from an ISO string with any offset, or from seconds or milliseconds; null if it is not a date. */
export function instant(value: unknown): string | null {
  const given = typeof value === "string" ? Date.parse(inUtc(value)) : millis(number(value));
  return given === null || Number.isNaN(given) || Math.abs(given) > 8.64e15 ? null : new Date(given).toISOString();
}

/** A time without a zone is read as UTC, so that a file gives the same run on every machine. */
function inUtc(value: string): string {
  return /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/.test(value) ? `${value.replace(" ", "T")}Z` : value;
}

function millis(value: number | null): number | null {
  if (value === null) return null;
  return Math.abs(value) < 1e11 ? value * 1000 : value;
}
