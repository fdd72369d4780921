/** Expectations about numbers from the app, never from a judge. */
import { z } from "zod";
import { bounds, defineExpectation, type ExpectationType, within } from "../define-expectation.ts";
import { asNumber, type OutputReader } from "../output-reader.ts";

function scoreRange(type: string, field: string, notes?: string): ExpectationType {
  return defineExpectation({
    type,
    category: "Scoring",
    reads: `output.${field}`,
    passes: "the number is within bounds",
    ...(notes ? { notes } : {}),
    parameters: bounds({ min: z.number().optional(), max: z.number().optional() }, "min", "max"),
    check(limits, output) {
      const { value, place } = output.number(field);
      const verdict = within(value, limits, "", place);
      return { ...verdict, message: verdict.message.replace(` has ${value} ,`, ` is ${value},`) };
    },
  });
}

function strictly(
  type: string,
  word: "above" | "below",
  holds: (score: number, value: number) => boolean,
): ExpectationType {
  return defineExpectation({
    type,
    category: "Scoring",
    reads: "output.score",
    passes: `the score is ${word} \`value\``,
    notes: "strict: an equal score fails",
    parameters: z.strictObject({ value: z.number() }),
    check({ value }, output: OutputReader) {
      const score = asNumber(output.value("score"));
      return {
        passed: holds(score.value, value),
        message: `${score.place} is ${score.value}, expected ${word} ${value}`,
        expected: { [word]: value },
        actual: score.value,
        place: score.place,
      };
    },
  });
}

export const scoring: readonly ExpectationType[] = [
  scoreRange("score_range", "score"),
  strictly("expect_score_above", "above", (score, value) => score > value),
  strictly("expect_score_below", "below", (score, value) => score < value),
  scoreRange("bias_score_range", "bias_score", "on the app's own scale"),
  scoreRange("quality_score_range", "quality_score", "the app's number, never a judge's score"),
];
