/**
 * Searches a text for all, any or none of the patterns.
 *
 * - `searchPatterns(mode, patterns, found)` a verdict that lists every missing or forbidden pattern, with its line.
 */
import { z } from "zod";
import type { Verdict } from "./outcome.ts";
import type { Found } from "./output-reader.ts";
import { compilePattern, type Pattern, type PatternInput, patternSchema } from "./pattern.ts";
import { excerpt, lineOf } from "./text-measures.ts";

const patternModes = ["all", "any", "none"] as const;
export type PatternMode = (typeof patternModes)[number];

export const patternsSchema = z.array(patternSchema).min(1, "give at least one pattern");
export const ignoreCase = z.boolean().default(false);
export const patternParameters = z.strictObject({ patterns: patternsSchema, ignore_case: ignoreCase });

export function compileAll(patterns: readonly PatternInput[], ignoringCase: boolean): Pattern[] {
  return patterns.map((pattern) => compilePattern(pattern, ignoringCase));
}

export function searchPatterns(
  mode: PatternMode,
  patterns: readonly Pattern[],
  { value, place }: Found<string>,
): Verdict {
  const hits = patterns.map((pattern) => ({ pattern: pattern.shown, at: pattern.find(value) }));
  const found = hits.flatMap(({ pattern, at }) => (at === undefined ? [] : [{ pattern, ...spot(value, at) }]));
  const absent = hits.filter(({ at }) => at === undefined).map(({ pattern }) => pattern);
  const names = (some: readonly string[]) => some.map((one) => JSON.stringify(one)).join(", ");
  const foundNames = names(found.map(({ pattern }) => pattern));
  const first = found[0];
  const details = { found, absent };
  switch (mode) {
    case "all":
      return {
        passed: absent.length === 0,
        message: absent.length === 0 ? `${place} contains ${foundNames}` : `${place} does not contain ${names(absent)}`,
        expected: patterns.map(({ shown }) => shown),
        actual: absent.length === 0 ? found.map(({ pattern }) => pattern) : excerpt(value),
        place,
        details,
      };
    case "any":
      return {
        passed: found.length > 0,
        message: found.length > 0 ? `${place} contains ${foundNames}` : `${place} contains none of ${names(absent)}`,
        expected: { any_of: patterns.map(({ shown }) => shown) },
        actual: found.length > 0 ? found.map(({ pattern }) => pattern) : excerpt(value),
        place,
        details,
      };
    case "none":
      return {
        passed: found.length === 0,
        message: first ? `${place} contains ${foundNames}` : `${place} contains none of ${names(absent)}`,
        expected: { none_of: patterns.map(({ shown }) => shown) },
        actual: first ? first.excerpt : [],
        place: first?.line ? `${place} line ${first.line}` : place,
        details,
      };
  }
}

function spot(text: string, at: number): { line?: number; excerpt: string } {
  return at < 0 ? { excerpt: "" } : { line: lineOf(text, at), excerpt: excerpt(text, at) };
}
