/** The door of cases: YAML suites, validated whole. */
export { caseMetadata, suiteHeader } from "./case-schema.ts";
export type { EvalCase } from "./eval-case.ts";
export { invalidSuite, loadSuite } from "./load-suite.ts";
export { pathText, readYaml } from "./read-yaml.ts";
export { selectCases } from "./select-cases.ts";
