/** Expectations about the app's memories. */
import { z } from "zod";
import { defineExpectation, type ExpectationType, wholeCount, within } from "../define-expectation.ts";
import { sameLabel } from "../labels.ts";

export const memory: readonly ExpectationType[] = [
  defineExpectation({
    type: "has_category",
    category: "Memory",
    reads: "output.memories[].category",
    passes: "some memory has that label",
    notes: "not output.category",
    parameters: z.strictObject({ value: z.string().trim().min(1, "give a label") }),
    check({ value }, output) {
      const { value: memories, place } = output.objects("memories");
      const categories = memories
        .map(({ category }) => category)
        .filter((one): one is string => typeof one === "string");
      const at = memories.findIndex(({ category }) => typeof category === "string" && sameLabel(category, value));
      return {
        passed: at >= 0,
        message:
          at >= 0
            ? `${place}[${at}] is a ${value}`
            : `no memory has the category ${value}; the categories are: ${[...new Set(categories)].join(", ") || "none"}`,
        expected: value,
        actual: [...new Set(categories)].slice(0, 50),
        place: at >= 0 ? `${place}[${at}]` : place,
      };
    },
  }),
  defineExpectation({
    type: "min_memories",
    category: "Memory",
    reads: "output.memories",
    passes: "there are at least `value` memories",
    parameters: z.strictObject({ value: wholeCount }),
    check({ value }, output) {
      const { value: memories, place } = output.list("memories");
      return within(memories.length, { min: value }, "memories", place);
    },
  }),
  defineExpectation({
    type: "max_memories",
    category: "Memory",
    reads: "output.memories",
    passes: "there are at most `value` memories",
    notes: "an output without memories fails; report `[]`",
    parameters: z.strictObject({ value: wholeCount }),
    check({ value }, output) {
      const { value: memories, place } = output.list("memories");
      return within(memories.length, { max: value }, "memories", place);
    },
  }),
];
