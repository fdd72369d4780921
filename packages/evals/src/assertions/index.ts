/** Entry point of assertions: promptfoo's assertion types. */
export type {
  AnsweredWith,
  Assertion,
  AssertionInput,
  AssertionTools,
  Embedding,
  Grade,
  JudgeUsage,
  Models,
  TextCall,
  Trace,
} from "./assertion.ts";
export { CannotCheck, isMembers } from "./assertion.ts";
export { checkAssertion } from "./check-assertion.ts";
export { checkAssertions, isCompared } from "./combine-grades.ts";
export { selectBest, selectMaxScore } from "./compare-outputs.ts";
export {
  assertionFamilies,
  assertionTypes,
  baseTypeOf,
  ignoresNegation,
  isAssertionType,
  needsOf,
  specialTypes,
} from "./registry.ts";
export { callFile, isJavaScript, readPlainFile, readSuiteFile, splitReference } from "./suite-file.ts";
export { transformed } from "./transform.ts";
export { separated } from "./types/text.ts";
