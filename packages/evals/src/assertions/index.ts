/** Entry point of assertions: promptfoo's assertion types. */
export type {
  AnsweredWith,
  Assertion,
  AssertionTools,
  Embedding,
  Grade,
  Models,
  TextCall,
  Trace,
} from "./assertion.ts";
export { CannotCheck, isMembers } from "./assertion.ts";
export { checkAssertion } from "./check-assertion.ts";
export { checkAssertions } from "./combine-grades.ts";
export { selectBest, selectMaxScore } from "./compare-outputs.ts";
export {
  assertionTypes,
  baseTypeOf,
  ignoresNegation,
  isAssertionType,
  needsOf,
  specialTypes,
} from "./registry.ts";
export { callFile, isJavaScript, splitReference } from "./suite-file.ts";
export { transformed } from "./transform.ts";
export { separated } from "./types/text.ts";
