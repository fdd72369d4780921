/** Expectations about the parts of a text. */
import { z } from "zod";
import {
  bounds,
  defineExpectation,
  type ExpectationType,
  noParameters,
  wholeCount,
  within,
} from "../define-expectation.ts";
import { findHeaders, withoutMarkup } from "../markdown.ts";
import { failing, impossible } from "../outcome.ts";
import {
  asNumber,
  bodyKeys,
  caseText,
  type Found,
  type OutputReader,
  shown,
  textKeys,
  wrongType,
} from "../output-reader.ts";
import { compilePattern, patternSchema } from "../pattern.ts";
import { compileAll, ignoreCase, patternsSchema } from "../search-patterns.ts";
import { findSignoff } from "../signoff.ts";
import { characterCount, excerpt, wordCount } from "../text-measures.ts";
import { findUrls, urlKey } from "../urls.ts";
import { countEmbeds } from "./media-embeds.ts";
import { readTldr } from "./text-matching.ts";

const filledChars = { min_chars: wholeCount.default(1), max_chars: wholeCount.optional() };

function readTitle(output: OutputReader): Found<string> {
  if (output.find("title")) return output.text("title");
  const body = output.find(...bodyKeys) ? output.text(...bodyKeys) : undefined;
  const header = body && findHeaders(body.value).find(({ level }) => level === 1);
  if (!body || !header) throw output.missing("title", "a level-1 header of body");
  return { value: withoutMarkup(header.text), place: `${body.place} line ${header.line}` };
}

/** "4 min read" is 4 minutes. */
function readMinutes(output: OutputReader): Found<number> {
  const found = output.value("read_time", "read_time_minutes");
  if (typeof found.value !== "string") return asNumber(found);
  const leading = /^\s*(\d+(?:[.,]\d+)?)/.exec(found.value)?.[1];
  if (leading === undefined) throw wrongType(found, "a number or a string that starts with one");
  return { value: Number(leading.replace(",", ".")), place: found.place };
}

function trimmedLength({ value, place }: Found<string>, limits: { min_chars: number; max_chars?: number | undefined }) {
  return within(characterCount(value.trim()), { min: limits.min_chars, max: limits.max_chars }, "characters", place);
}

const closingMarks = /(?:[\s"'”’»›)\]}>*_~`]|\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u200d|\ufe0f)+$/u;

export const structure: readonly ExpectationType[] = [
  defineExpectation({
    type: "has_title",
    category: "Structure",
    reads: "output.title → the first level-1 header of body",
    passes: "there is a title, and its number of words is within bounds",
    notes: "markup in the header is not counted",
    parameters: bounds(
      { min_words: wholeCount.default(1), max_words: wholeCount.optional() },
      "min_words",
      "max_words",
    ),
    check({ min_words, max_words }, output) {
      const title = readTitle(output);
      return within(wordCount(title.value), { min: min_words, max: max_words }, "words", title.place);
    },
  }),
  defineExpectation({
    type: "has_tldr",
    category: "Structure",
    reads: "output.tldr → the paragraph after `TL;DR` or `TLDR` in body",
    passes: "it is present, and its number of characters after trimming is within bounds",
    parameters: bounds(filledChars, "min_chars", "max_chars"),
    check: (limits, output) => trimmedLength(readTldr(output), limits),
  }),
  defineExpectation({
    type: "has_subtitle",
    category: "Structure",
    reads: "output.subtitle → dek",
    passes: "it is present, and its number of characters after trimming is within bounds",
    notes: "not taken from the body",
    parameters: bounds(filledChars, "min_chars", "max_chars"),
    check: (limits, output) => trimmedLength(output.text("subtitle", "dek"), limits),
  }),
  defineExpectation({
    type: "has_read_time",
    category: "Structure",
    reads: "output.read_time → read_time_minutes",
    passes: "it is a number of minutes above 0 and within bounds",
    notes: 'a string with a leading number counts: "4 min read"',
    parameters: bounds({ min: z.number().optional(), max: z.number().optional() }, "min", "max", { required: false }),
    check({ min, max }, output) {
      const { value, place } = readMinutes(output);
      if (value <= 0)
        throw failing(`${place} is ${value}, expected minutes above 0`, { expected: "> 0", actual: value, place });
      return within(value, min === undefined && max === undefined ? { min: 0 } : { min, max }, "minutes", place);
    },
  }),
  defineExpectation({
    type: "has_signoff",
    category: "Structure",
    reads: "output.body",
    passes:
      "one of the last five non-empty lines starts with a closing, followed by `,`, `!`, a dash or the end of the line",
    notes:
      "closings: Best, Best/Kind/Warm regards, Regards, Sincerely, Thanks, Thank you, Cheers, Warmly, Yours …; `patterns` adds closings in other languages",
    parameters: z.strictObject({ patterns: patternsSchema.optional(), ignore_case: ignoreCase }),
    check({ patterns, ignore_case }, output) {
      const { value, place } = output.text("body");
      const found = findSignoff(value, patterns && compileAll(patterns, ignore_case));
      return {
        passed: found !== undefined,
        message: found ? `${place} closes with ${shown(found.text)}` : `${place} has no closing in its last five lines`,
        expected: patterns ?? "a closing such as Best regards,",
        actual: found?.text ?? excerpt(value.slice(-200)),
        place: found ? `${place} line ${found.line}` : place,
      };
    },
  }),
  defineExpectation({
    type: "has_links",
    category: "Structure",
    reads: "output.body → TEXT",
    passes: "the number of URLs is at least `min_count`",
    notes: "images and mailto: do not count; a repeated URL counts each time unless `distinct`",
    parameters: z.strictObject({ min_count: wholeCount.default(1), distinct: z.boolean().default(false) }),
    check({ min_count, distinct }, output) {
      const { value, place } = output.text(...textKeys);
      const urls = findUrls(value);
      const counted = distinct ? new Set(urls.map(urlKey)).size : urls.length;
      return {
        ...within(counted, { min: min_count }, distinct ? "distinct links" : "links", place),
        details: urls.slice(0, 50),
      };
    },
  }),
  defineExpectation({
    type: "has_media_embeds",
    category: "Structure",
    reads: "output.body → TEXT",
    passes: "the number of embeds is within bounds",
    notes:
      "a Markdown image, an HTML img, video, audio, iframe or embed, or a line that is only a YouTube, Vimeo or X URL; `pattern` replaces this. `max_count` without `min_count` sets `min_count` to 0",
    parameters: bounds(
      {
        min_count: wholeCount.optional(),
        max_count: wholeCount.optional(),
        pattern: patternSchema.optional(),
        ignore_case: ignoreCase,
      },
      "min_count",
      "max_count",
      { required: false },
    ),
    check({ min_count, max_count, pattern, ignore_case }, output) {
      const { value, place } = output.text(...textKeys);
      const counted = pattern === undefined ? countEmbeds(value) : compilePattern(pattern, ignore_case).count(value);
      const min = min_count ?? (max_count === undefined ? 1 : 0);
      return within(counted, { min, max: max_count }, "media embeds", place);
    },
  }),
  defineExpectation({
    type: "body_has_headers",
    category: "Structure",
    reads: "output.body → structured_content",
    passes: "the number of headers is at least `min_count`",
    notes: "all levels count, including a title in the first line",
    parameters: z.strictObject({ min_count: wholeCount.default(1) }),
    check({ min_count }, output) {
      const { value, place } = output.text(...bodyKeys);
      const headers = findHeaders(value);
      return { ...within(headers.length, { min: min_count }, "headers", place), details: headers.slice(0, 50) };
    },
  }),
  defineExpectation({
    type: "subject_not_empty",
    category: "Structure",
    reads: "output.subject",
    passes: "it is not empty after trimming",
    parameters: noParameters,
    check(_, output) {
      const { value, place } = output.text("subject");
      const passed = value.trim() !== "";
      return {
        passed,
        message: passed ? `${place} is filled` : `${place} is empty`,
        expected: "a string",
        actual: value,
        place,
      };
    },
  }),
  defineExpectation({
    type: "ends_with_question",
    category: "Structure",
    reads: "output.response → body",
    passes: "the last character is `?`, `？` or `؟`, ignoring trailing white space, quotes, brackets, `*_` and emoji",
    notes: "with `ignore_signoff`, the closing as in has_signoff is removed first",
    parameters: z.strictObject({ ignore_signoff: z.boolean().default(true) }),
    check({ ignore_signoff }, output) {
      const { value, place } = output.text("response", "body");
      const signoff = ignore_signoff ? findSignoff(value) : undefined;
      // Only the tail, to keep trimming fast on long texts.
      const tail = (signoff ? value.slice(0, signoff.offset) : value).trimEnd().slice(-400).replace(closingMarks, "");
      const last = [...tail].at(-1) ?? "";
      return {
        passed: /[?？؟]/u.test(last),
        message: last === "" ? `${place} is empty` : `${place} ends with ${shown(last)}`,
        expected: "?",
        actual: excerpt(tail.slice(-80)),
        place,
      };
    },
  }),
  defineExpectation({
    type: "body_integrity",
    category: "Structure",
    reads: "output.body; input.body → text → content.raw_content",
    passes: "100 · (words in − words out) / words in is at most `max_shrinkage_pct`",
    notes: "measured in words; growth passes; a case without a source text is an ERROR",
    parameters: z.strictObject({ max_shrinkage_pct: z.number().min(0).max(100).default(10) }),
    check({ max_shrinkage_pct }, output, given) {
      const source = caseText(given, "body", "text", "content.raw_content");
      const before = wordCount(source.value);
      if (before === 0)
        throw impossible(`${source.place} has no words: the check could not run`, { place: source.place });
      const { value, place } = output.text("body");
      const after = wordCount(value);
      const shrinkage = (100 * (before - after)) / before;
      return {
        passed: shrinkage <= max_shrinkage_pct,
        message: `${place} has ${after} of ${before} words: ${shrinkage.toFixed(1)} % less, at most ${max_shrinkage_pct} % allowed`,
        expected: { max_shrinkage_pct },
        actual: Number(shrinkage.toFixed(3)),
        place,
      };
    },
  }),
];
