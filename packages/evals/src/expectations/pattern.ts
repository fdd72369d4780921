/**
 * Patterns: plain text, or a regular expression in RE2 syntax, which matches in linear time.
 *
 * - `patternSchema` the forms in a case file: `"text"`, `"/re/flags"`, `{ text }`, `{ regex, flags }`.
 * - `compilePattern(given, ignoreCase)` a compiled pattern; throws a `PatternFault` if it is invalid.
 * - `pattern.find(text)` the offset of a match, or undefined; `-1` if there is a match but finding its offset takes too long.
 *
 * The time is the length of the text times the size of the compiled pattern. Beyond a limit the check is an ERROR, so it never
 * hangs.
 */
import { RE2JS, RE2JSException } from "re2js";
import { z } from "zod";
import { impossible } from "./outcome.ts";
import { normalText } from "./text-measures.ts";

const flagsSchema = z.string().regex(/^[imsu]*$/, "allows only the flags i, m, s and u");

export const patternSchema = z
  .union([
    z.string().min(1, "a pattern cannot be empty"),
    z.strictObject({ text: z.string().min(1, "a pattern cannot be empty") }),
    z.strictObject({ regex: z.string().min(1, "a pattern cannot be empty"), flags: flagsSchema.optional() }),
  ])
  .superRefine(refuseBadPattern);
export type PatternInput = z.input<typeof patternSchema>;

export class PatternFault extends Error {}

/** For a zod refinement: what is wrong with a pattern is found when the file is read. */
export function refuseBadPattern(given: PatternInput, context: z.core.$RefinementCtx): void {
  try {
    compilePattern(given);
  } catch (error) {
    if (!(error instanceof PatternFault)) throw error;
    context.addIssue({ code: "custom", message: error.message });
  }
}

export interface Pattern {
  /** As in the case file. */
  readonly shown: string;
  /** The text, if it is not a regular expression. */
  readonly plain?: string;
  readonly find: (text: string) => number | undefined;
  /** How often it occurs, without overlaps. */
  readonly count: (text: string) => number;
}

/** At about 3 ns per step this is three seconds. */
const maxSteps = 1_000_000_000;
/** Finding the offset of a match takes a slower engine than finding whether there is one. */
const maxPlacingSteps = 20_000_000;
const maxProgramSize = 5_000;
const maxLength = 10_000;

export function compilePattern(given: PatternInput, ignoreCase = false): Pattern {
  const length = typeof given === "string" ? given.length : "text" in given ? given.text.length : given.regex.length;
  if (length > maxLength)
    throw new PatternFault(`a pattern can have at most ${maxLength} characters; this one has ${length}`);
  if (typeof given === "object" && "text" in given) return plainPattern(given.text, ignoreCase, given.text);
  if (typeof given === "object") return expression(given.regex, given.flags ?? "", ignoreCase);
  const delimited = /^\/(.+)\/([a-z]*)$/s.exec(given);
  if (!delimited) return plainPattern(given, ignoreCase, given);
  const [, source = "", flags = ""] = delimited;
  if (!/^[dgimsuvy]*$/.test(flags)) return plainPattern(given, ignoreCase, given);
  // JavaScript flags that are not supported: refused, because the pattern would otherwise silently be plain text.
  if (!flagsSchema.safeParse(flags).success) {
    throw new PatternFault(
      `${given}: only the flags i, m, s and u are allowed; for plain text, write { text: "${given}" }`,
    );
  }
  return expression(source, flags, ignoreCase);
}

function plainPattern(text: string, ignoreCase: boolean, shown: string): Pattern {
  const wanted = normalText(text);
  if (ignoreCase) return { ...regexPattern(RE2JS.quote(wanted), "i", shown), plain: wanted };
  return {
    shown,
    plain: wanted,
    find(searched) {
      const at = searched.indexOf(wanted);
      return at < 0 ? undefined : at;
    },
    count: (searched) => searched.split(wanted).length - 1,
  };
}

function expression(source: string, flags: string, ignoreCase: boolean): Pattern {
  const shown = `/${source}/${flags}`;
  return regexPattern(normalText(source), ignoreCase ? `${flags}i` : flags, shown);
}

function regexPattern(source: string, flags: string, shown: string): Pattern {
  const compiled = compile(source, flags, shown);
  const size = compiled.programSize();
  if (size > maxProgramSize) {
    throw new PatternFault(
      `${shown} is too large: its repeats expand to ${size} steps, at most ${maxProgramSize} are allowed`,
    );
  }
  const limited = (searched: string, limit: number): number => {
    const steps = size * searched.length;
    if (steps <= limit) return steps;
    throw impossible(`${shown} over ${searched.length} characters exceeds the time limit`, {
      expected: { at_most_steps: limit },
      actual: { steps },
    });
  };
  return {
    shown,
    find(searched) {
      const steps = limited(searched, maxSteps);
      if (!compiled.test(searched)) return undefined;
      if (steps > maxPlacingSteps) return -1;
      const matcher = compiled.matcher(searched);
      return matcher.find() ? matcher.start() : undefined;
    },
    count(searched) {
      limited(searched, maxPlacingSteps);
      const matcher = compiled.matcher(searched);
      let found = 0;
      while (matcher.find()) found += 1;
      return found;
    },
  };
}

function compile(source: string, flags: string, shown: string): RE2JS {
  const set =
    (flags.includes("i") ? RE2JS.CASE_INSENSITIVE : 0) |
    (flags.includes("m") ? RE2JS.MULTILINE : 0) |
    (flags.includes("s") ? RE2JS.DOTALL : 0);
  try {
    return RE2JS.compile(source, set);
  } catch (error) {
    if (!(error instanceof RE2JSException) && !(error instanceof RangeError)) throw error;
    if (/\(\?<?[=!]/.test(source)) {
      throw new PatternFault(
        `${shown} uses look-around: (?= (?! (?<= and (?<! are not supported, because they do not run in linear time`,
      );
    }
    throw new PatternFault(`${shown} is not a valid regular expression: ${(error as Error).message}`);
  }
}
