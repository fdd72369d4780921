/** The parts that a text has to have. */
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
  if (leading === undefined) throw wrongType(found, "a number or a text that begins with one");
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
    passes: "there is a title, and its words are within bounds",
    notes: "markup of the header is not counted",
    parameters: bounds(
      { min_words: wholeCount.default(1), max_words: wholeCount.optional() },
      "min_words",
      "max_words",
    ),
    check({ min_words, max_words }, output) {
      const title = readTitle(output);
      return within(wordCount(title.value), { min: min_words, max: max_words }, "words", title.place);
    },
    examples: [
      { given: { min_words: 2, max_words: 3 }, output: { title: "Rents fall" }, is: "pass" },
      { given: {}, output: { body: "intro\n\n# **Rents** fall" }, is: "pass" },
      { given: {}, output: { title: "" }, is: "fail", says: "0 words" },
      { given: { max_words: 2 }, output: { title: "one two three" }, is: "fail" },
      { given: {}, output: { body: "```\n# not a title\n```" }, is: "fail", says: "output has no `title`" },
    ],
    refuses: [{ given: { max_words: 0 }, refused: "min_words 1 is more than max_words 0" }],
  }),
  defineExpectation({
    type: "has_tldr",
    category: "Structure",
    reads: "output.tldr → the paragraph after `TL;DR` or `TLDR` in body",
    passes: "it is there, and its trimmed characters are within bounds",
    parameters: bounds(filledChars, "min_chars", "max_chars"),
    check: (limits, output) => trimmedLength(readTldr(output), limits),
    examples: [
      { given: { min_chars: 5, max_chars: 20 }, output: { tldr: " Rents fell. " }, is: "pass" },
      { given: { max_chars: 11 }, output: { body: "TLDR\n====\nRents fell.\n\nMore" }, is: "pass" },
      { given: {}, output: { tldr: "  " }, is: "fail" },
      { given: {}, output: { body: "nothing" }, is: "fail", says: "no TL;DR line" },
    ],
  }),
  defineExpectation({
    type: "has_subtitle",
    category: "Structure",
    reads: "output.subtitle → dek",
    passes: "it is there, and its trimmed characters are within bounds",
    notes: "never guessed from the body",
    parameters: bounds(filledChars, "min_chars", "max_chars"),
    check: (limits, output) => trimmedLength(output.text("subtitle", "dek"), limits),
    examples: [
      { given: {}, output: { dek: "Why rents fell" }, is: "pass" },
      { given: { min_chars: 50 }, output: { subtitle: "Why" }, is: "fail" },
      { given: {}, output: { body: "# Title\n## Subtitle" }, is: "fail" },
    ],
  }),
  defineExpectation({
    type: "has_read_time",
    category: "Structure",
    reads: "output.read_time → read_time_minutes",
    passes: "it is a number of minutes above 0 and within bounds",
    notes: 'a text with a leading number counts: "4 min read"',
    parameters: bounds({ min: z.number().optional(), max: z.number().optional() }, "min", "max", { required: false }),
    check({ min, max }, output) {
      const { value, place } = readMinutes(output);
      if (value <= 0)
        throw failing(`${place} is ${value}, expected minutes above 0`, { expected: "> 0", actual: value, place });
      return within(value, min === undefined && max === undefined ? { min: 0 } : { min, max }, "minutes", place);
    },
    examples: [
      { given: { min: 2, max: 6 }, output: { read_time: "4 min read" }, is: "pass" },
      { given: {}, output: { read_time_minutes: 3 }, is: "pass" },
      { given: {}, output: { read_time: 0 }, is: "fail", says: "above 0" },
      { given: {}, output: { read_time: "a while" }, is: "fail", says: "begins with one" },
      { given: { max: 5 }, output: { read_time: 9 }, is: "fail" },
    ],
  }),
  defineExpectation({
    type: "has_signoff",
    category: "Structure",
    reads: "output.body",
    passes:
      "one of the last five lines that are not empty starts with a closing, followed by `,`, `!`, a dash or the line's end",
    notes:
      "closings: Best, Best/Kind/Warm regards, Regards, Sincerely, Thanks, Thank you, Cheers, Warmly, Yours …; `patterns` are the closings of other languages",
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
    examples: [
      { given: {}, output: { body: "Hi\n\nSee you.\n\nBest regards,\nAda" }, is: "pass" },
      { given: {}, output: { body: "Hi\n\nThanks!\nAda" }, is: "pass" },
      { given: {}, output: { body: "Best of all, it works." }, is: "fail" },
      {
        given: { patterns: ["Mit freundlichen Grüßen"] },
        output: { body: "…\nMit freundlichen Grüßen\nAda" },
        is: "pass",
      },
      { given: {}, output: { body: "Thanks,\n1\n2\n3\n4\n5" }, is: "fail" },
      { given: {}, output: { response: "Best,\nAda" }, is: "fail", says: "no `body`" },
    ],
  }),
  defineExpectation({
    type: "has_links",
    category: "Structure",
    reads: "output.body → TEXT",
    passes: "the number of web addresses is at least min_count",
    notes: "images and mailto: do not count; the same address twice counts twice unless `distinct`",
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
    examples: [
      { given: { min_count: 2 }, output: { body: "[a](https://a.example/x), <https://b.example>." }, is: "pass" },
      {
        given: {},
        output: { body: "![i](https://a.example/i.png) and mailto:a@b.example" },
        is: "fail",
        says: "0 links",
      },
      {
        given: { min_count: 2, distinct: true },
        output: { body: "https://www.a.example/ https://a.example#x" },
        is: "fail",
      },
      { given: { min_count: 1 }, output: { body: '<a href="https://a.example">a</a>' }, is: "pass" },
    ],
  }),
  defineExpectation({
    type: "has_media_embeds",
    category: "Structure",
    reads: "output.body → TEXT",
    passes: "the number of embeds is within bounds",
    notes:
      "a Markdown image, an HTML img, video, audio, iframe or embed, or a line that is only a YouTube, Vimeo or X address; `pattern` replaces this. max_count without min_count sets min_count to 0",
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
    examples: [
      { given: { min_count: 2 }, output: { body: "![a](b.png)\nhttps://youtu.be/abc\n" }, is: "pass" },
      { given: {}, output: { body: "see https://youtu.be/abc here" }, is: "fail" },
      { given: { max_count: 1 }, output: { body: "none" }, is: "pass" },
      {
        given: { max_count: 1 },
        output: { body: '<img src="a"><video src="b"></video>' },
        is: "fail",
        says: "2 media embeds",
      },
      { given: { pattern: "{{embed" }, output: { body: "{{embed 1}} {{embed 2}}" }, is: "pass" },
    ],
    refuses: [{ given: { min_count: 3, max_count: 1 }, refused: "is more than" }],
  }),
  defineExpectation({
    type: "body_has_headers",
    category: "Structure",
    reads: "output.body → structured_content",
    passes: "the number of headers is at least min_count",
    notes: "all levels count, also a title in the first line",
    parameters: z.strictObject({ min_count: wholeCount.default(1) }),
    check({ min_count }, output) {
      const { value, place } = output.text(...bodyKeys);
      const headers = findHeaders(value);
      return { ...within(headers.length, { min: min_count }, "headers", place), details: headers.slice(0, 50) };
    },
    examples: [
      { given: { min_count: 3 }, output: { body: "# A\n\nB\n---\n\n<h2>C</h2>" }, is: "pass" },
      { given: {}, output: { body: "#hashtag\n\n```\n# code\n```" }, is: "fail", says: "0 headers" },
    ],
  }),
  defineExpectation({
    type: "subject_not_empty",
    category: "Structure",
    reads: "output.subject",
    passes: "its trimmed text is not empty",
    parameters: noParameters,
    check(_, output) {
      const { value, place } = output.text("subject");
      const passed = value.trim() !== "";
      return {
        passed,
        message: passed ? `${place} is filled` : `${place} is empty`,
        expected: "a text",
        actual: value,
        place,
      };
    },
    examples: [
      { given: {}, output: { subject: "Hello" }, is: "pass" },
      { given: {}, output: { subject: " \n" }, is: "fail", says: "is empty" },
      { given: {}, output: { body: "x" }, is: "fail", says: "no `subject`" },
    ],
    refuses: [{ given: { min: 1 }, refused: "min" }],
  }),
  defineExpectation({
    type: "ends_with_question",
    category: "Structure",
    reads: "output.response → body",
    passes: "the last character, after white space, quotes, brackets, `*_` and emoji, is `?`, `？` or `؟`",
    notes: "with ignore_signoff the closing block of has_signoff is cut first",
    parameters: z.strictObject({ ignore_signoff: z.boolean().default(true) }),
    check({ ignore_signoff }, output) {
      const { value, place } = output.text("response", "body");
      const signoff = ignore_signoff ? findSignoff(value) : undefined;
      // The tail is enough, and keeps the trimming quick on long texts.
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
    examples: [
      { given: {}, output: "What do you think?", is: "pass" },
      { given: {}, output: 'Is it "so?"** 🙂\n', is: "pass" },
      { given: {}, output: "Shall we meet?\n\nBest,\nAda", is: "pass" },
      { given: { ignore_signoff: false }, output: "Shall we meet?\n\nBest,\nAda", is: "fail" },
      { given: {}, output: "Why? Because.", is: "fail" },
      { given: {}, output: "", is: "fail", says: "is empty" },
      { given: {}, output: { body: "本当ですか？" }, is: "pass" },
    ],
  }),
  defineExpectation({
    type: "body_integrity",
    category: "Structure",
    reads: "output.body; input.body → text → content.raw_content",
    passes: "100 · (words in − words out) / words in is at most max_shrinkage_pct",
    notes: "growth is fine; measured in words; a case without a source text is an ERROR",
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
    examples: [
      { given: { max_shrinkage_pct: 50 }, output: { body: "a b" }, input: { text: "a b c d" }, is: "pass" },
      {
        given: {},
        output: { body: "a b c" },
        input: { content: { raw_content: "a b c d" } },
        is: "fail",
        says: "25.0 %",
      },
      { given: {}, output: { body: "a b c d e" }, input: { body: "a" }, is: "pass" },
      { given: {}, output: { body: "a" }, input: {}, is: "error", says: "could not run" },
      { given: {}, output: { body: "a" }, input: { text: 3 }, is: "error" },
      { given: {}, output: { response: "a" }, input: { text: "a" }, is: "fail" },
    ],
    refuses: [{ given: { max_shrinkage_pct: -1 }, refused: "max_shrinkage_pct" }],
  }),
];
