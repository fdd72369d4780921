/** Entry point of promptfoo: suites written for it, run as they are. */
export { loadPromptfooSuite } from "./load-suite.ts";
export { planSuite } from "./plan-suite.ts";
export { createProviders } from "./provider-factory.ts";
export { runSuite, suiteLacks } from "./run-suite.ts";
export { type PromptfooSuite, SuiteFault } from "./suite.ts";
export { openSuiteRun } from "./suite-journal.ts";
export { type SuitePartial, suitePartial } from "./suite-partial.ts";
export { problemsOf, type SuiteResult, statusOf } from "./suite-result.ts";
export { suiteFile } from "./write-results.ts";
