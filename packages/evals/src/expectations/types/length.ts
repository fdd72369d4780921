/** Expectations about length, in words, or in characters if the parameter says so. */
import { z } from "zod";
import { bounds, defineExpectation, type ExpectationType, wholeCount, within } from "../define-expectation.ts";
import { failing } from "../outcome.ts";
import { asText, bodyKeys, type Found, type OutputReader, textKeys } from "../output-reader.ts";
import { characterCount, wordCount } from "../text-measures.ts";

const words = (found: Found<string>, limits: { min?: number | undefined; max?: number | undefined }) =>
  within(wordCount(found.value), limits, "words", found.place);

/** The commentary of each item, else that of the output. */
function readCommentaries(output: OutputReader): Found<string>[] {
  const items = output.find("items") ? output.objects("items") : undefined;
  const own = (items?.value ?? []).flatMap((item, index) =>
    item.commentary === undefined || item.commentary === null
      ? []
      : [asText({ value: item.commentary, place: `output.items[${index}].commentary` })],
  );
  if (own.length > 0) return own;
  if (output.find("commentary")) return [output.text("commentary")];
  if (!items) throw output.missing("items", "commentary");
  throw failing("no item has a commentary", {
    expected: "a commentary",
    actual: items.value.length,
    place: items.place,
  });
}

export const length: readonly ExpectationType[] = [
  defineExpectation({
    type: "body_word_count",
    category: "Length",
    reads: "output.body → structured_content",
    passes: "the number of words is within bounds",
    parameters: bounds(
      { min_words: wholeCount.optional(), max_words: wholeCount.optional() },
      "min_words",
      "max_words",
    ),
    check: ({ min_words, max_words }, output) => words(output.text(...bodyKeys), { min: min_words, max: max_words }),
  }),
  defineExpectation({
    type: "body_min_length",
    category: "Length",
    reads: "output.body → structured_content",
    passes: "the number of words is at least `min_words`",
    notes: "words, not characters",
    parameters: z.strictObject({ min_words: wholeCount }),
    check: ({ min_words }, output) => words(output.text(...bodyKeys), { min: min_words }),
  }),
  defineExpectation({
    type: "word_count_range",
    category: "Length",
    reads: "TEXT",
    passes: "the number of words is within bounds",
    parameters: bounds({ min: wholeCount.optional(), max: wholeCount.optional() }, "min", "max"),
    check: (limits, output) => words(output.text(...textKeys), limits),
  }),
  defineExpectation({
    type: "commentary_length",
    category: "Length",
    reads: "every output.items[].commentary; else output.commentary",
    passes: "there is a commentary, and the number of characters of each is within bounds",
    notes: "each, not the sum",
    parameters: bounds(
      { min_chars: wholeCount.optional(), max_chars: wholeCount.optional() },
      "min_chars",
      "max_chars",
    ),
    check({ min_chars, max_chars }, output) {
      const verdicts = readCommentaries(output).map(({ value, place }) =>
        within(characterCount(value), { min: min_chars, max: max_chars }, "characters", place),
      );
      const wrong = verdicts.filter(({ passed }) => !passed);
      const first = wrong[0] ?? verdicts[0];
      if (!first) throw output.missing("items", "commentary");
      return { ...first, details: wrong.map(({ place, actual }) => ({ place, characters: actual })) };
    },
  }),
];
