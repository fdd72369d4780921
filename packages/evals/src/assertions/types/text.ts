/** Assertions on the text of an output: what it contains, equals, starts with, matches, and how long it is. */
import { isDeepStrictEqual } from "node:util";
import { CodeLimit } from "../../code/index.ts";
import { type Checker, type Grade, isMembers, need, yesOrNo } from "../assertion.ts";
import { editDistance } from "../edit-distance.ts";

const lower = (text: string): string => text.toLowerCase();
const same = (text: string): string => text;

function contains(fold: (text: string) => string): Checker {
  return (check) => {
    const { value, baseType, text, isNegated } = check;
    need(
      (typeof value === "string" && value !== "") || (typeof value === "number" && !Number.isNaN(value)),
      `${baseType} needs a text or a number as its value`,
    );
    const holds = fold(text).includes(fold(String(value)));
    return yesOrNo(holds, check, `expected the output ${isNegated ? "not " : ""}to contain "${String(value)}"`);
  };
}

function containsSome(fold: (text: string) => string, needsAll: boolean): Checker {
  return (check) => {
    const { baseType, text, isNegated } = check;
    need(check.value, `${baseType} needs a value`);
    const wanted = typeof check.value === "string" ? separated(check.value) : check.value;
    need(Array.isArray(wanted), `${baseType} needs a list, or a text of values separated by commas`);
    const folded = fold(text);
    const missing = wanted.filter((one) => !folded.includes(fold(String(one))));
    const holds = needsAll ? missing.length === 0 : missing.length < wanted.length;
    const shown = wanted.map((one) => `"${String(one)}"`).join(", ");
    const problem = isNegated
      ? `expected the output not to contain ${needsAll ? "all" : "any"} of ${shown}`
      : `the output lacks ${needsAll ? missing.map((one) => `"${String(one)}"`).join(", ") : `every one of ${shown}`}`;
    return yesOrNo(holds, check, problem);
  };
}

/** Values separated by commas; a value with a comma is quoted, and a quote inside it is doubled or escaped. */
export function separated(text: string): string[] {
  const found: string[] = [];
  const field = /[\s,]*(?:"((?:[^"\\]|\\["\\]|\\(?!["\\])|"")*)"\s*(?=,|$)|([^",\s][^,]*|\s+$))/y;
  let at = 0;
  while (at < text.length) {
    const rest = text.slice(at);
    if (/^[\s,]*$/.test(rest)) break;
    field.lastIndex = at;
    const match = field.exec(text);
    need(match, `"${rest.trim().slice(0, 40)}" has a quote that is not closed, or text after one`);
    if (match[1] !== undefined) found.push(match[1].replace(/""|\\(["\\])/g, (all, one: string) => one ?? all[0]));
    else found.push((match[2] ?? "").trim());
    at = field.lastIndex;
  }
  return found;
}

const equals: Checker = (check) => {
  const { value, text, isNegated } = check;
  const shown = typeof value === "string" ? value : JSON.stringify(value);
  const problem = `expected the output ${isNegated ? "not " : ""}to be "${shown}"`;
  if (typeof value !== "object") return yesOrNo(String(value) === text, check, problem);
  try {
    return yesOrNo(isDeepStrictEqual(value, JSON.parse(text)), check, problem);
  } catch {
    return yesOrNo(false, check, problem);
  }
};

const startsWith: Checker = (check) => {
  const { value, text, isNegated } = check;
  need(typeof value === "string" && value !== "", "starts-with needs a text as its value");
  return yesOrNo(
    text.startsWith(value),
    check,
    `expected the output ${isNegated ? "not " : ""}to start with "${value}"`,
  );
};

/** A pattern that may backtrack without end is matched in another process, which is stopped if it takes too long. */
const regex: Checker = async (check) => {
  const { value, text, isNegated, tools } = check;
  need(typeof value === "string" && value !== "", "regex needs a text as its value");
  let pattern: RegExp;
  try {
    pattern = new RegExp(value);
  } catch (error) {
    return { pass: false, score: 0, reason: `invalid pattern: ${(error as Error).message}` };
  }
  const problem = `expected the output ${isNegated ? "not " : ""}to match /${value}/`;
  if (isQuick(value, text)) return yesOrNo(pattern.test(text), check, problem);
  try {
    const holds = await tools.code.run({ kind: "regex", source: value, text }, regexTimeoutMs);
    return yesOrNo(holds === true, check, problem);
  } catch (error) {
    if (error instanceof CodeLimit) need(false, `the pattern /${value}/ could not be matched: ${error.message}`);
    throw error;
  }
};

const regexTimeoutMs = 5_000;
const quickLength = 20_000;

/** At most quadratic time: no repeated group, and at most one repetition without a small bound. */
function isQuick(source: string, text: string): boolean {
  const plain = source.replace(/\\[\s\S]/g, "x").replace(/\[\^?\]?[^\]]*\]/g, "x");
  const repetitions = plain.match(/[*+]|\{\d*,?\d*\}/g)?.filter((one) => !/^\{\d\}$/.test(one)) ?? [];
  return text.length <= quickLength && !/\)[*+{?]/.test(plain) && repetitions.length <= 1;
}

const levenshtein: Checker = (check) => {
  const { value, text, assertion, isNegated } = check;
  need(typeof value === "string", "levenshtein needs a text as its value");
  const threshold = assertion.threshold ?? 5;
  const distance = editDistance(text, value);
  return yesOrNo(
    distance <= threshold,
    check,
    `the output is ${distance} edits away, expected ${isNegated ? "more than" : "at most"} ${threshold}`,
  );
};

const wordCount: Checker = (check): Grade => {
  const { value, text, isNegated } = check;
  need(value !== null && value !== undefined, "word-count needs a value");
  const count = text.trim().split(/\s+/).filter(Boolean).length;
  const expected = bounds(value);
  const holds =
    (expected.min === undefined || count >= expected.min) && (expected.max === undefined || count <= expected.max);
  return yesOrNo(holds, check, `the output has ${count} words, expected ${isNegated ? "not " : ""}${expected.shown}`);
};

function bounds(value: unknown): { min: number | undefined; max: number | undefined; shown: string } {
  if (!isMembers(value)) {
    const count = Number(value);
    const isCount = typeof value === "number" || (typeof value === "string" && !Number.isNaN(count));
    need(isCount, "word-count needs a number, or an object with min, max or both");
    return { min: count, max: count, shown: String(count) };
  }
  const { min, max } = value as { min?: number; max?: number };
  need(min !== undefined || max !== undefined, "word-count needs min, max or both");
  need(min === undefined || max === undefined || min <= max, `word-count has min ${min} above max ${max}`);
  const shown = min === undefined ? `at most ${max}` : max === undefined ? `at least ${min}` : `${min} to ${max}`;
  return { min, max, shown };
}

export const textAssertions: Readonly<Record<string, Checker>> = {
  contains: contains(same),
  icontains: contains(lower),
  "contains-any": containsSome(same, false),
  "icontains-any": containsSome(lower, false),
  "contains-all": containsSome(same, true),
  "icontains-all": containsSome(lower, true),
  equals,
  "starts-with": startsWith,
  regex,
  levenshtein,
  "word-count": wordCount,
};
