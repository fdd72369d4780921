/** What only a reader can tell: a judge is asked, and its scores are held against thresholds. */
import { z } from "zod";
import { defineExpectation, type ExpectationType, type Judgement } from "../define-expectation.ts";
import { failing } from "../outcome.ts";
import { asText, type Found, isObject, type OutputReader, textKeys } from "../output-reader.ts";

const threshold = z.number().min(0, "a threshold is between 0 and 1").max(1, "a threshold is between 0 and 1");
const criterionName = z.string().min(1, "name the criterion").max(200);
const criteriaTable = z
  .record(criterionName, threshold)
  .refine((criteria) => Object.keys(criteria).length > 0, "give at least one criterion");
const profileName = z.string().min(1).default("default");
const usualThreshold = 0.7;

const maxQuestionLength = 2_000;

/** The output's own list, else the sentences of its text that end in a question mark. */
function readQuestions(output: OutputReader): string[] {
  const given: Found<unknown>[] = output.find("questions")
    ? output.list("questions").value.map((value, index) => ({
        value: isObject(value) ? (value.text ?? value.question) : value,
        place: `output.questions[${index}]`,
      }))
    : sentences(output.text(...textKeys).value).map((value) => ({ value, place: "output" }));
  const questions = given.map((one) => asText(one).value.trim()).filter(Boolean);
  if (questions.length > 0) return questions;
  throw failing("output asks no question", { expected: "a question", actual: 0, place: "output" });
}

function sentences(text: string): string[] {
  const pieces = text.split(/(?<=[.!?。！？؟\n])/u);
  return pieces
    .filter((piece) => /[?？؟]\s*$/u.test(piece.slice(-20)))
    .map((piece) => piece.trim().slice(-maxQuestionLength));
}

const good: Judgement = { scores: { accuracy: 0.9 }, thresholds: { accuracy: 0.7 } };
const poor: Judgement = { scores: { accuracy: 0.58, tone: 0.9 }, thresholds: { accuracy: 0.7, tone: 0.5 } };
const broken: Judgement = { scores: {}, thresholds: {}, error: "the judge answered no JSON" };

export const judged: readonly ExpectationType[] = [
  defineExpectation({
    type: "quality_check",
    category: "LLM judge",
    judged: true,
    reads: "input and output as the judge profile says (default: input, TEXT)",
    passes: "every criterion's aggregated score is at least its threshold",
    notes:
      "scores are 0 to 1 (a 1–5 judge is rescaled by its profile); a score that is missing or out of range is an ERROR; a threshold here wins over the profile's; all scores are kept",
    parameters: z.strictObject({ criteria: criteriaTable, judge_profile: profileName }),
    question: ({ criteria, judge_profile }) => ({ profile: judge_profile, criteria, threshold: usualThreshold }),
    examples: [
      { given: { criteria: { accuracy: 0.7 } }, output: "x", judgement: good, is: "pass" },
      {
        given: { criteria: { accuracy: 0.7, tone: 0.5 } },
        output: "x",
        judgement: poor,
        is: "fail",
        says: "1 of 2 criteria",
      },
      { given: { criteria: { accuracy: 0.7 } }, output: "x", judgement: broken, is: "error", says: "no JSON" },
      { given: { criteria: { accuracy: 0.7 } }, output: "x", is: "error", says: "no judge" },
    ],
    refuses: [
      { given: { criteria: {} }, refused: "at least one criterion" },
      { given: { criteria: { accuracy: 7 } }, refused: "between 0 and 1" },
      { given: {}, refused: "criteria" },
    ],
  }),
  defineExpectation({
    type: "voice_check",
    category: "LLM judge",
    judged: true,
    reads: "TEXT",
    passes:
      "names and thresholds: as quality_check; a text: the score of the one criterion `voice` is at least threshold",
    notes: "a text that names a profile takes that profile's criteria; any other text describes the voice",
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
    examples: [
      { given: { criteria: { accuracy: 0.5 } }, output: "x", judgement: good, is: "pass" },
      {
        given: { criteria: "dry and exact" },
        output: "x",
        judgement: { scores: { voice: 0.4 }, thresholds: { voice: 0.7 } },
        is: "fail",
        says: "voice 0.4",
      },
      { given: { criteria: "dry" }, output: { title: "x" }, judgement: good, is: "fail", says: "output has no" },
      { given: { criteria: "dry" }, output: "x", judgement: broken, is: "error" },
    ],
    refuses: [{ given: { criteria: "" }, refused: "criteria" }],
  }),
  defineExpectation({
    type: "question_quality",
    category: "LLM judge",
    judged: true,
    reads: "output.questions[] → sentences of TEXT that end in `?`",
    passes: "as quality_check, judged on the questions only",
    notes: "criteria may be a list, at 0.7 each; no question fails without a judge being asked",
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
    examples: [
      { given: { criteria: ["accuracy"] }, output: "Fine. What next?", judgement: good, is: "pass" },
      { given: { criteria: ["accuracy"] }, output: { questions: ["Why?"] }, judgement: poor, is: "fail" },
      { given: { criteria: ["accuracy"] }, output: "No question.", is: "fail", says: "asks no question" },
      { given: { criteria: ["accuracy"] }, output: "Why?", judgement: broken, is: "error" },
    ],
    refuses: [{ given: { criteria: [] }, refused: "criteria" }],
  }),
];
