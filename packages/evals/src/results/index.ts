/** Runs and results, and the file format they come in; see `result.ts` and `format.ts`. */
export type { Fault } from "./faults.ts";
export { resultFileSchema } from "./format.ts";
export { autoLabel, caseKey, ciVariables, deriveRunId, type RunOrigin, suiteOfPath } from "./identity.ts";
export { inputShaOf } from "./normalise.ts";
export { type ReadOptions, type ReadRun, type RunDefaults, readResults } from "./read-results.ts";
export * from "./result.ts";
export type { GivenSource } from "./source.ts";
export { toFileResult, toFileRun } from "./write-results.ts";
