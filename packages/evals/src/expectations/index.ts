/** Entry point of expectations: the registry, and what cases and judges need from it. */
export type { ExpectationType, Judgement, JudgeQuestion } from "./define-expectation.ts";
export type { Outcome } from "./outcome.ts";
export { type CheckedCase, textKeys } from "./output-reader.ts";
export {
  checkExpectation,
  type Expectation,
  expectationType,
  expectationTypes,
  parseExpectation,
  questionFor,
  unknownType,
} from "./registry.ts";
