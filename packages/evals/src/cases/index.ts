/** The door of cases: YAML suites, validated whole. */
export { type ChainStep, type Comparison, caseMetadata, type Scope, suiteHeader } from "./case-schema.ts";
export type { EvalCase, Suite } from "./eval-case.ts";
export { invalidSuite, type LoadSuiteOptions, loadSuite } from "./load-suite.ts";
export { parseCaseFile } from "./parse-cases.ts";
export { type CaseFault, pathText, readYaml, type YamlDocument } from "./read-yaml.ts";
export { type CaseSelection, scopeOf, selectCases } from "./select-cases.ts";
