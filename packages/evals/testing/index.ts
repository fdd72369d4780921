/**
 * For tests and benchmarks outside of this package: made-up runs and results, files that other tools really wrote,
 * the examples of every expectation, and the parts of the product that benchmarks measure by themselves.
 */
export { pairCases } from "../src/compare/pair-cases.ts";
export { seededRandom } from "../src/statistics/seeded-random.ts";
export { examplesOf } from "./expectation-examples.ts";
export { madeResult, madeRun } from "./made-runs.ts";
export { samplePath, samples } from "./samples.ts";
export { story, storyRuns } from "./story.ts";
export { writeZip } from "./write-zip.ts";
