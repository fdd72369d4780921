/** Expectations about a text that is split into chunks. */
import { z } from "zod";
import { bounds, defineExpectation, type ExpectationType, wholeCount, within } from "../define-expectation.ts";
import { failing, impossible } from "../outcome.ts";
import { caseText, type Found, isObject, type OutputReader, wrongType } from "../output-reader.ts";
import { excerpt, normalText, wordCount } from "../text-measures.ts";

/** Strings, or objects with `text`. */
export function readTexts(output: OutputReader, ...keys: readonly string[]): Found<string>[] {
  const { value, place } = output.list(...keys);
  return value.map((one, index) => {
    const text = isObject(one) ? one.text : one;
    if (typeof text !== "string")
      throw wrongType({ value: one, place: `${place}[${index}]` }, "a string or an object with text");
    return { value: normalText(text), place: `${place}[${index}]` };
  });
}

const withoutSpace = (text: string): string => text.replace(/\s+/gu, "");

function firstDifference(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  let at = 0;
  while (at < shorter && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return at;
}

/** The offset up to which the source is covered if `chunk` continues it, with overlap; undefined if it does not. */
function coverWith(source: string, covered: number, chunk: string): number | undefined {
  if (source.startsWith(chunk, covered)) return covered + chunk.length;
  const from = Math.max(0, covered - chunk.length);
  const at = lastOccurrence(source.slice(from, covered + chunk.length), chunk, covered - from);
  return at === undefined ? undefined : Math.max(covered, from + at + chunk.length);
}

/** Knuth–Morris–Pratt: linear for any texts. */
function lastOccurrence(text: string, wanted: string, latest: number): number | undefined {
  const fallback = new Int32Array(wanted.length + 1);
  for (let at = 1, length = 0; at < wanted.length; at += 1) {
    while (length > 0 && wanted.charCodeAt(at) !== wanted.charCodeAt(length)) length = fallback[length] ?? 0;
    if (wanted.charCodeAt(at) === wanted.charCodeAt(length)) length += 1;
    fallback[at + 1] = length;
  }
  let found: number | undefined;
  for (let at = 0, length = 0; at < text.length; at += 1) {
    while (length > 0 && (length === wanted.length || text.charCodeAt(at) !== wanted.charCodeAt(length)))
      length = fallback[length] ?? 0;
    if (text.charCodeAt(at) === wanted.charCodeAt(length)) length += 1;
    if (length === wanted.length && at - length + 1 <= latest) found = at - length + 1;
  }
  return found;
}

export const chunks: readonly ExpectationType[] = [
  defineExpectation({
    type: "chunk_count_range",
    category: "Chunks",
    reads: "output.chunks",
    passes: "the number of chunks is within bounds",
    parameters: bounds({ min: wholeCount.optional(), max: wholeCount.optional() }, "min", "max"),
    check(limits, output) {
      const { value, place } = output.list("chunks");
      return within(value.length, limits, "chunks", place);
    },
  }),
  defineExpectation({
    type: "lossless",
    category: "Chunks",
    reads: "output.chunks (strings or {text}); input.text → content.raw_content",
    passes: "the joined chunks equal the source, ignoring all white space",
    notes:
      "with `overlap: true`, each chunk must continue the source and may repeat the end of the previous text; the first differing offset is reported",
    parameters: z.strictObject({ overlap: z.boolean().default(false) }),
    check({ overlap }, output, given) {
      const source = withoutSpace(caseText(given, "text", "content.raw_content").value);
      const texts = readTexts(output, "chunks").map(({ value, place }) => ({ text: withoutSpace(value), place }));
      const different = (offset: number, actual: string, place: string) =>
        failing(
          `the chunks differ from the source at offset ${offset} (not counting white space): expected ${JSON.stringify(excerpt(source, offset, 60))}`,
          {
            expected: excerpt(source, offset, 60),
            actual: excerpt(actual, offset, 60),
            place,
          },
        );
      let covered = 0;
      for (const { text, place } of texts) {
        const next = overlap
          ? coverWith(source, covered, text)
          : source.startsWith(text, covered)
            ? covered + text.length
            : undefined;
        if (next === undefined) {
          const at = firstDifference(source.slice(covered), text);
          throw different(covered + at, `${source.slice(0, covered)}${text}`, place);
        }
        covered = next;
      }
      if (covered < source.length) throw different(covered, source.slice(0, covered), "output.chunks");
      return {
        passed: true,
        message: `${texts.length} chunks equal the source`,
        expected: source.length,
        actual: covered,
        place: "output.chunks",
      };
    },
  }),
  defineExpectation({
    type: "word_bound",
    category: "Chunks",
    reads: "output.chunks",
    passes: "every chunk has at most max_words words",
    notes: "the default of max_words is the case's chunk_size; having neither is an error in the case file",
    parameters: z.strictObject({ max_words: wholeCount.optional() }),
    needs: ({ max_words }, input) =>
      max_words === undefined && typeof input.chunk_size !== "number"
        ? "give max_words, or give the case a chunk_size"
        : undefined,
    check({ max_words }, output, given) {
      const max = max_words ?? given.input.chunk_size;
      if (typeof max !== "number")
        throw impossible("neither max_words nor the case's chunk_size is given: the check could not run");
      const verdicts = readTexts(output, "chunks").map(({ value, place }) =>
        within(wordCount(value), { max }, "words", place),
      );
      const wrong = verdicts.filter(({ passed }) => !passed);
      const fine = {
        passed: true,
        message: `all ${verdicts.length} chunks have at most ${max} words`,
        expected: { max },
        actual: verdicts.length,
        place: "output.chunks",
      };
      return {
        ...(wrong[0] ?? fine),
        details: wrong.slice(0, 50).map(({ place, actual }) => ({ place, words: actual })),
      };
    },
  }),
];
