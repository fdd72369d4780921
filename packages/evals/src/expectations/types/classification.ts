/** Expectations about the app's decisions: a channel, a kind, worthy or not. */
import { z } from "zod";
import { defineExpectation, type ExpectationType, noParameters } from "../define-expectation.ts";
import { sameLabel } from "../labels.ts";
import type { Verdict } from "../outcome.ts";
import { asText, type Found, type OutputReader, shown, wrongType } from "../output-reader.ts";

const label = z.string().trim().min(1, "give a label");
const labels = z.array(label).min(1, "give at least one label");

/** A boolean, or the word for one. */
function asDecision(found: Found<unknown>): Found<boolean> {
  const { value, place } = found;
  if (typeof value === "boolean") return { value, place };
  const word = typeof value === "string" ? value.trim().toLowerCase() : "";
  if (word === "true" || word === "yes") return { value: true, place };
  if (word === "false" || word === "no") return { value: false, place };
  throw wrongType(found, "a boolean or one of true, yes, false, no");
}

function isWorthy(output: OutputReader, wanted: boolean): Verdict {
  const { value, place } = asDecision(output.value("worthy"));
  return { passed: value === wanted, message: `${place} is ${value}`, expected: wanted, actual: value, place };
}

export const classification: readonly ExpectationType[] = [
  defineExpectation({
    type: "channel_is",
    category: "Classification",
    reads: "output.channel",
    passes: "the labels are equal",
    parameters: z.strictObject({ channel: label }),
    check({ channel }, output) {
      const { value, place } = output.text("channel");
      return {
        passed: sameLabel(value, channel),
        message: `${place} is ${shown(value)}, expected ${shown(channel)}`,
        expected: channel,
        actual: value,
        place,
      };
    },
  }),
  defineExpectation({
    type: "channel_not",
    category: "Classification",
    reads: "output.channel",
    passes: "there is a channel, and it equals none of the given ones",
    notes: "an output without a channel fails",
    parameters: z.strictObject({ channel: z.union([label, labels]) }),
    check({ channel }, output) {
      const { value, place } = output.text("channel");
      const hit = [channel].flat().find((one) => sameLabel(one, value));
      return {
        passed: hit === undefined,
        message: `${place} is ${shown(value)}`,
        expected: { not: channel },
        actual: value,
        place,
      };
    },
  }),
  defineExpectation({
    type: "content_type_in",
    category: "Classification",
    reads: "output.content_type",
    passes: "its label equals one of `values`",
    parameters: z.strictObject({ values: labels }),
    check({ values }, output) {
      const { value, place } = output.text("content_type");
      const passed = values.some((one) => sameLabel(one, value));
      return {
        passed,
        message: `${place} is ${shown(value)}${passed ? "" : `, expected one of ${values.join(", ")}`}`,
        expected: values,
        actual: value,
        place,
      };
    },
  }),
  defineExpectation({
    type: "worthy",
    category: "Classification",
    reads: "output.worthy",
    passes: "it is true",
    notes: "booleans, or the words true, yes, false, no; an output without it fails both this type and `not_worthy`",
    parameters: noParameters,
    check: (_, output) => isWorthy(output, true),
  }),
  defineExpectation({
    type: "not_worthy",
    category: "Classification",
    reads: "output.worthy",
    passes: "it is false",
    notes: "not the negation of `worthy`: an output without it fails both",
    parameters: noParameters,
    check: (_, output) => isWorthy(output, false),
  }),
  defineExpectation({
    type: "expected_pass",
    category: "Classification",
    reads: "output.pass → passed; output.comment_type",
    passes: "pass equals `value` and, if given, comment_type equals `expected_comment_type`",
    notes: "the app's own decision, not the result's `passed`",
    parameters: z.strictObject({ value: z.boolean().default(true), expected_comment_type: label.optional() }),
    check({ value, expected_comment_type }, output) {
      const decision = asDecision(output.value("pass", "passed"));
      const expected = {
        pass: value,
        ...(expected_comment_type === undefined ? {} : { comment_type: expected_comment_type }),
      };
      if (decision.value !== value || expected_comment_type === undefined) {
        return {
          passed: decision.value === value,
          message: `${decision.place} is ${decision.value}, expected ${value}`,
          expected,
          actual: { pass: decision.value },
          place: decision.place,
        };
      }
      const comment = asText(output.value("comment_type"));
      return {
        passed: sameLabel(comment.value, expected_comment_type),
        message: `${comment.place} is ${shown(comment.value)}, expected ${shown(expected_comment_type)}`,
        expected,
        actual: { pass: decision.value, comment_type: comment.value },
        place: comment.place,
      };
    },
  }),
];
