/** Entry point of cases: YAML suites, fully validated. */
export { caseMetadata, suiteHeader } from "./case-schema.ts";
export type { EvalCase, Suite } from "./eval-case.ts";
export { invalidSuite, loadSuite } from "./load-suite.ts";
export type { PromptSpec } from "./prompt-spec.ts";
export { pathText, readYaml } from "./read-yaml.ts";
export { selectCases } from "./select-cases.ts";
