/**
 * Support for tests and benchmarks outside this package: made-up runs and results, real files of other tools, the examples of
 * every expectation, and the parts of the product that benchmarks measure separately.
 */
export { pairCases } from "../src/compare/pair-cases.ts";
export { seededRandom } from "../src/statistics/seeded-random.ts";
export { examplesOf } from "./expectation-examples.ts";
export { storeImpossibleRun } from "./impossible-run.ts";
export { madeResult, madeRun, madeUsage } from "./made-runs.ts";
export { samplePath, samples } from "./samples.ts";
export { story, storyRuns } from "./story.ts";
export { writeZip } from "./write-zip.ts";
