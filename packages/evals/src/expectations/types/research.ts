/** Expectations about sections, commentaries and a changed title. */
import { z } from "zod";
import { defineExpectation, type ExpectationType, noParameters, wholeCount, within } from "../define-expectation.ts";
import { foldCase } from "../labels.ts";
import { findHeaders } from "../markdown.ts";
import { bodyKeys, caseText, type Found, isBlank, type OutputReader, shown } from "../output-reader.ts";

function countSections(output: OutputReader): Found<number> {
  if (output.find("sections")) {
    const { value, place } = output.list("sections");
    return { value: value.length, place };
  }
  if (!output.find(...bodyKeys)) throw output.missing("sections", ...bodyKeys);
  const { value, place } = output.text(...bodyKeys);
  return { value: findHeaders(value).filter(({ level }) => level === 2).length, place };
}

function countCommentaries(output: OutputReader): Found<number> {
  const filled = (some: readonly unknown[]) =>
    some.filter((one) => (typeof one === "string" ? one.trim() !== "" : !isBlank(one))).length;
  if (output.find("items")) {
    const { value, place } = output.objects("items");
    const own = value.map(({ commentary }) => commentary).filter((one) => one !== undefined && one !== null);
    if (own.length > 0 || !output.find("commentaries")) return { value: filled(own), place };
  }
  if (!output.find("commentaries")) throw output.missing("items", "commentaries");
  const { value, place } = output.list("commentaries");
  return { value: filled(value), place };
}

const titleKey = (title: string): string => foldCase(title.trim().replace(/\s+/gu, " "));

export const research: readonly ExpectationType[] = [
  defineExpectation({
    type: "min_sections",
    category: "Research",
    reads: "output.sections → level-2 headers of body",
    passes: "there are at least `count` sections",
    parameters: z.strictObject({ count: wholeCount }),
    check({ count }, output) {
      const { value, place } = countSections(output);
      return within(value, { min: count }, "sections", place);
    },
  }),
  defineExpectation({
    type: "has_commentaries",
    category: "Research",
    reads: "output.items[].commentary → commentaries",
    passes: "there are at least `min` non-blank commentaries",
    parameters: z.strictObject({ min: wholeCount.default(1) }),
    check({ min }, output) {
      const { value, place } = countCommentaries(output);
      return within(value, { min }, "commentaries", place);
    },
  }),
  defineExpectation({
    type: "title_changed",
    category: "Research",
    reads: "output.title; input.title → content.title",
    passes: "the titles differ after collapsing white space and case folding",
    notes: "punctuation counts as a change; a case without a title is an ERROR",
    parameters: noParameters,
    check(_, output, given) {
      const before = caseText(given, "title", "content.title");
      const { value, place } = output.text("title");
      const passed = titleKey(value) !== titleKey(before.value);
      return {
        passed,
        message: passed ? `${place} differs` : `${place} is still ${shown(value)}`,
        expected: { not: before.value },
        actual: value,
        place,
      };
    },
  }),
];
