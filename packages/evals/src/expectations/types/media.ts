/** Expectations about selected images, extracted pages and concepts. */
import { posix } from "node:path";
import { z } from "zod";
import { defineExpectation, type ExpectationType, wholeCount, within } from "../define-expectation.ts";
import { foldCase, labelKey } from "../labels.ts";
import { failing } from "../outcome.ts";
import { firstMember, isObject, type OutputReader, shown, wrongType } from "../output-reader.ts";
import { compileAll, ignoreCase, patternsSchema } from "../search-patterns.ts";
import { characterCount, excerpt, lineOf } from "../text-measures.ts";

/** Only the file name counts, without folder and query. */
const imageKey = (name: string): string => foldCase(posix.basename(name.replace(/[?#].*$/s, "").replaceAll("\\", "/")));

function readImages(output: OutputReader): string[] {
  const { value, place } = output.list("selected_images", "images");
  return value.map((one, index) => {
    const name = isObject(one) ? firstMember(one, "filename", "name", "url") : one;
    if (typeof name !== "string")
      throw wrongType({ value: one, place: `${place}[${index}]` }, "a string or an object with filename");
    return name;
  });
}

const stains: readonly (readonly [string, RegExp])[] = [
  ["an HTML tag", /<\/?[a-z][a-z0-9-]{0,30}(?:\s[^<>]{0,2000})?\/?>|<!--/iu],
  ["an HTML entity", /&(?:[a-z][a-z0-9]{1,30}|#\d{1,7}|#x[0-9a-f]{1,6});/iu],
  ["a replacement character U+FFFD", /\uFFFD/u],
];

export const media: readonly ExpectationType[] = [
  defineExpectation({
    type: "selects_expected_images",
    category: "Media",
    reads: "output.selected_images (strings or {filename}) → images",
    passes: "at least `min_selected` of `expected_filenames` are selected",
    notes: "the default is all of them; compared by base name, ignoring case and query; other images are allowed",
    parameters: z
      .strictObject({
        expected_filenames: z.array(z.string().min(1)).min(1, "name at least one file"),
        min_selected: wholeCount.optional(),
      })
      .refine(({ expected_filenames, min_selected }) => (min_selected ?? 0) <= expected_filenames.length, {
        path: ["min_selected"],
        message: "min_selected is more than the number of expected_filenames",
      }),
    check({ expected_filenames, min_selected }, output) {
      const names = readImages(output);
      const keys = new Set(names.map(imageKey));
      const absent = expected_filenames.filter((name) => !keys.has(imageKey(name)));
      const there = expected_filenames.length - absent.length;
      const min = min_selected ?? expected_filenames.length;
      return {
        passed: there >= min,
        message: `${there} of ${expected_filenames.length} expected images are selected, expected at least ${min}${absent.length > 0 ? `; missing: ${absent.slice(0, 20).join(", ")}` : ""}`,
        expected: { expected_filenames, min_selected: min },
        actual: names.slice(0, 100),
        place: "output.selected_images",
      };
    },
  }),
  defineExpectation({
    type: "extracts_clean_content",
    category: "Media",
    reads: "output.content → structured_content → text",
    passes: "it has at least `min_length` characters and no HTML tag, HTML entity, U+FFFD or `forbid` pattern",
    notes: "cookie banners and menus are found only with `forbid`",
    parameters: z.strictObject({
      min_length: wholeCount.default(1),
      forbid: patternsSchema.optional(),
      ignore_case: ignoreCase,
    }),
    check({ min_length, forbid, ignore_case }, output) {
      const { value, place } = output.text("content", "structured_content", "text");
      for (const [what, stain] of stains) {
        const at = stain.exec(value)?.index;
        if (at !== undefined)
          throw failing(`${place} contains ${what}: ${shown(excerpt(value, at, 60))}`, {
            expected: `no ${what.replace(/^an? /, "")}`,
            actual: excerpt(value, at, 60),
            place: `${place} line ${lineOf(value, at)}`,
          });
      }
      for (const pattern of compileAll(forbid ?? [], ignore_case)) {
        const at = pattern.find(value);
        if (at !== undefined)
          throw failing(`${place} contains ${shown(pattern.shown)}`, {
            expected: { none_of: [pattern.shown] },
            actual: at < 0 ? "" : excerpt(value, at, 60),
            place: at < 0 ? place : `${place} line ${lineOf(value, at)}`,
          });
      }
      return within(characterCount(value), { min: min_length }, "characters", place);
    },
  }),
  defineExpectation({
    type: "min_concepts",
    category: "Media",
    reads: "output.concepts",
    passes: "there are at least `count` distinct, non-blank concepts",
    notes: "distinct by label equality",
    parameters: z.strictObject({ count: wholeCount }),
    check({ count }, output) {
      const { value, place } = output.list("concepts");
      const names = value.map((one) => (isObject(one) ? firstMember(one, "name", "concept", "label", "title") : one));
      const keys = names.filter((one): one is string => typeof one === "string" && one.trim() !== "").map(labelKey);
      return within(new Set(keys).size, { min: count }, "distinct concepts", place);
    },
  }),
];
