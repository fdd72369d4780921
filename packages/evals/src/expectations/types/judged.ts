/** Judged expectations: a judge is asked, and its scores are compared with thresholds. */
import { z } from "zod";
import { defineExpectation, type ExpectationType } from "../define-expectation.ts";
import { failing } from "../outcome.ts";
import { asText, type Found, isObject, type OutputReader, textKeys } from "../output-reader.ts";

const threshold = z
  .number()
  .min(0, "a threshold must be between 0 and 1")
  .max(1, "a threshold must be between 0 and 1");
const criterionName = z.string().min(1, "name the criterion").max(200);
const criteriaTable = z
  .record(criterionName, threshold)
  .refine((criteria) => Object.keys(criteria).length > 0, "give at least one criterion");
const profileName = z.string().min(1).default("default");
const usualThreshold = 0.7;

const maxQuestionLength = 2_000;

/** The output's list of questions, else the sentences of its text that end in a question mark. */
function readQuestions(output: OutputReader): string[] {
  const given: Found<unknown>[] = output.find("questions")
    ? output.list("questions").value.map((value, index) => ({
        value: isObject(value) ? (value.text ?? value.question) : value,
        place: `output.questions[${index}]`,
      }))
    : sentences(output.text(...textKeys).value).map((value) => ({ value, place: "output" }));
  const questions = given.map((one) => asText(one).value.trim()).filter(Boolean);
  if (questions.length > 0) return questions;
  throw failing("output has no questions", { expected: "a question", actual: 0, place: "output" });
}

function sentences(text: string): string[] {
  const pieces = text.split(/(?<=[.!?。！？؟\n])/u);
  return pieces
    .filter((piece) => /[?？؟]\s*$/u.test(piece.slice(-20)))
    .map((piece) => piece.trim().slice(-maxQuestionLength));
}

export const judged: readonly ExpectationType[] = [
  defineExpectation({
    type: "quality_check",
    category: "LLM judge",
    judged: true,
    reads: "input and output as the judge profile defines (default: input, TEXT)",
    passes: "the aggregated score of every criterion is at least its threshold",
    notes:
      "scores are 0 to 1 (a 1–5 scale is converted by the profile); a missing or out-of-range score is an ERROR; a threshold here overrides the profile's; all scores are stored",
    parameters: z.strictObject({ criteria: criteriaTable, judge_profile: profileName }),
    question: ({ criteria, judge_profile }) => ({ profile: judge_profile, criteria, threshold: usualThreshold }),
  }),
  defineExpectation({
    type: "voice_check",
    category: "LLM judge",
    judged: true,
    reads: "TEXT",
    passes:
      "with names and thresholds: as quality_check; with a string: the score of the criterion `voice` is at least `threshold`",
    notes: "a string that names a profile uses that profile's criteria; any other string describes the voice",
    parameters: z.strictObject({
      criteria: z.union([z.string().min(1, "describe the voice"), criteriaTable]),
      threshold: threshold.default(usualThreshold),
      judge_profile: profileName,
    }),
    question({ criteria, threshold: least, judge_profile }, output, _given, profiles) {
      const content = { title: "text", text: output.text(...textKeys).value };
      if (typeof criteria !== "string") return { profile: judge_profile, criteria, threshold: least, content };
      if (profiles.includes(criteria)) return { profile: criteria, criteria: {}, threshold: least, content };
      return {
        profile: judge_profile,
        criteria: { voice: least },
        threshold: least,
        descriptions: { voice: criteria },
        content,
      };
    },
  }),
  defineExpectation({
    type: "question_quality",
    category: "LLM judge",
    judged: true,
    reads: "output.questions[] → sentences of TEXT that end in `?`",
    passes: "as quality_check, judged on the questions only",
    notes:
      "`criteria` may be a list, with a threshold of 0.7 each; an output without questions fails without a judge being asked",
    parameters: z.strictObject({
      criteria: z.union([z.array(criterionName).min(1, "give at least one criterion"), criteriaTable]),
      judge_profile: profileName,
    }),
    question({ criteria, judge_profile }, output) {
      const text = readQuestions(output)
        .map((question, index) => `${index + 1}. ${question}`)
        .join("\n");
      const table = Array.isArray(criteria)
        ? Object.fromEntries(criteria.map((name) => [name, usualThreshold]))
        : criteria;
      return {
        profile: judge_profile,
        criteria: table,
        threshold: usualThreshold,
        content: { title: "questions", text },
      };
    },
  }),
];
