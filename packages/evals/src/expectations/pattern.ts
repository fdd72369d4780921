/**
 * Patterns: plain text, or a regular expression in RE2's syntax, which matches in linear time.
 *
 * - `patternSchema` what a case file may write: `"text"`, `"/re/flags"`, `{ text }`, `{ regex, flags }`.
 * - `compilePattern(given, ignoreCase)` ready to search, or a `PatternFault` that says what is wrong with it.
 * - `pattern.find(text)` the offset of a match, or undefined; `-1` when it is there but costs too much to place.
 *
 * Linear is not free: the time is the length of the text times the size of the pattern's program. Beyond a limit the
 * check is an ERROR; it never hangs.
 */
import { RE2JS, RE2JSException } from "re2js";
import { z } from "zod";
import { impossible } from "./outcome.ts";
import { normalText } from "./text-measures.ts";

const flagsSchema = z.string().regex(/^[imsu]*$/, "takes the flags i, m, s and u only");

export const patternSchema = z
  .union([
    z.string().min(1, "an empty pattern is found everywhere"),
    z.strictObject({ text: z.string().min(1, "an empty pattern is found everywhere") }),
    z.strictObject({ regex: z.string().min(1, "an empty pattern is found everywhere"), flags: flagsSchema.optional() }),
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
  /** As the case file has it. */
  readonly shown: string;
  /** The text itself where it is no regular expression. */
  readonly plain?: string;
  readonly find: (text: string) => number | undefined;
  /** How often it occurs, without overlaps. */
  readonly count: (text: string) => number;
}

/** At about 3 ns a step this is three seconds. */
const maxSteps = 1_000_000_000;
/** Where the match is takes a slower engine than whether there is one. */
const maxPlacingSteps = 20_000_000;
const maxProgramSize = 5_000;
const maxLength = 10_000;

export function compilePattern(given: PatternInput, ignoreCase = false): Pattern {
  const length = typeof given === "string" ? given.length : "text" in given ? given.text.length : given.regex.length;
  if (length > maxLength) throw new PatternFault(`a pattern of ${length} characters; at most ${maxLength} are allowed`);
  if (typeof given === "object" && "text" in given) return plainPattern(given.text, ignoreCase, given.text);
  if (typeof given === "object") return expression(given.regex, given.flags ?? "", ignoreCase);
  const delimited = /^\/(.+)\/([a-z]*)$/s.exec(given);
  if (!delimited) return plainPattern(given, ignoreCase, given);
  const [, source = "", flags = ""] = delimited;
  if (!/^[dgimsuvy]*$/.test(flags)) return plainPattern(given, ignoreCase, given);
  // Flags of JavaScript that mean nothing here: a pattern that would silently be plain text is worse than a refusal.
  if (!flagsSchema.safeParse(flags).success) {
    throw new PatternFault(`${given} takes the flags i, m, s and u only; for plain text write { text: "${given}" }`);
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
    throw new PatternFault(`${shown} is too large: its repeats unfold to ${size} steps of at most ${maxProgramSize}`);
  }
  const limited = (searched: string, limit: number): number => {
    const steps = size * searched.length;
    if (steps <= limit) return steps;
    throw impossible(`${shown} over ${searched.length} characters hits the time limit of a pattern`, {
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
      throw new PatternFault(`${shown} looks around; (?= (?! (?<= and (?<! have no linear time and are refused`);
    }
    throw new PatternFault(`${shown} is not a regular expression that can be used: ${(error as Error).message}`);
  }
}
