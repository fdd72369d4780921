/** Expectations about the posts of a thread. */
import { z } from "zod";
import { bounds, defineExpectation, type ExpectationType, wholeCount, within } from "../define-expectation.ts";
import { failing } from "../outcome.ts";
import type { OutputReader } from "../output-reader.ts";
import { findUrls, locateUrls } from "../urls.ts";
import { readTexts } from "./chunks.ts";

const readTweets = (output: OutputReader) => readTexts(output, "tweets");

const emojiSequence =
  /(?:\p{RI}\p{RI}|\p{Emoji}(?:\p{EMod}|\uFE0F\u20E3?|[\u{E0020}-\u{E007E}]+\u{E007F})?(?:\u200D\p{Emoji}(?:\p{EMod}|\uFE0F\u20E3?)?)*)/gu;
const isLight = (point: number): boolean =>
  point <= 0x10ff ||
  (point >= 0x2000 && point <= 0x200d) ||
  (point >= 0x2010 && point <= 0x201f) ||
  (point >= 0x2032 && point <= 0x2037);

/** X's weights: a URL is 23, an emoji sequence 2, scripts beyond U+10FF mostly 2. */
function weightedLength(text: string): number {
  let [weight, rest, from] = [0, "", 0];
  for (const { url, at } of locateUrls(text)) {
    weight += 23;
    rest += text.slice(from, at);
    from = at + url.length;
  }
  rest += text.slice(from);
  const others = rest.replaceAll(emojiSequence, (emoji) => {
    const first = emoji.codePointAt(0) ?? 0;
    // Digits, # and * are emoji only with a keycap.
    if (isLight(first) && !/[\uFE0F\u20E3\u200D]/u.test(emoji)) return emoji;
    weight += 2;
    return "";
  });
  for (const character of others) weight += isLight(character.codePointAt(0) ?? 0) ? 1 : 2;
  return weight;
}

export const threads: readonly ExpectationType[] = [
  defineExpectation({
    type: "has_tweets",
    category: "Threads",
    reads: "output.tweets (strings or {text}) → thread",
    passes: "the number of tweets is within bounds, and none is blank",
    parameters: bounds(
      { min_count: wholeCount.default(1), max_count: wholeCount.optional() },
      "min_count",
      "max_count",
    ),
    check({ min_count, max_count }, output) {
      const tweets = readTexts(output, "tweets", "thread");
      const blank = tweets.find(({ value }) => value.trim() === "");
      if (blank)
        throw failing(`${blank.place} is blank`, { expected: "a string", actual: blank.value, place: blank.place });
      return within(tweets.length, { min: min_count, max: max_count }, "tweets", "output.tweets");
    },
  }),
  defineExpectation({
    type: "char_limits",
    category: "Threads",
    reads: "output.tweets",
    passes: "every tweet has at most `max` weighted characters",
    notes:
      "X's weights: a URL = 23; code points outside U+0000–10FF, 2000–200D, 2010–201F, 2032–2037 = 2; an emoji sequence = 2",
    parameters: z.strictObject({ max: wholeCount.default(280) }),
    check({ max }, output) {
      const verdicts = readTweets(output).map(({ value, place }) =>
        within(weightedLength(value), { max }, "weighted characters", place),
      );
      const wrong = verdicts.filter(({ passed }) => !passed);
      const fine = {
        passed: true,
        message: `all ${verdicts.length} tweets have at most ${max} weighted characters`,
        expected: { max },
        actual: verdicts.length,
        place: "output.tweets",
      };
      return {
        ...(wrong[0] ?? fine),
        details: wrong.slice(0, 50).map(({ place, actual }) => ({ place, weighted: actual })),
      };
    },
  }),
  defineExpectation({
    type: "link_in_last_tweet",
    category: "Threads",
    reads: "the last of output.tweets",
    passes: "it contains a URL",
    notes: "with `only: true`, no other tweet may contain one",
    parameters: z.strictObject({ only: z.boolean().default(false) }),
    check({ only }, output) {
      const tweets = readTweets(output);
      const last = tweets.at(-1);
      if (!last)
        throw failing("output.tweets is empty", { expected: "a tweet with a link", actual: 0, place: "output.tweets" });
      if (findUrls(last.value).length === 0)
        throw failing(`${last.place}, the last tweet, has no link`, {
          expected: "a link",
          actual: last.value,
          place: last.place,
        });
      const other = only ? tweets.slice(0, -1).find(({ value }) => findUrls(value).length > 0) : undefined;
      return {
        passed: other === undefined,
        message: other ? `${other.place} also has a link` : `${last.place} has a link`,
        expected: only ? "a link in the last tweet only" : "a link in the last tweet",
        actual: other?.value ?? last.value,
        place: other?.place ?? last.place,
      };
    },
  }),
];
