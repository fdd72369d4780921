/**
 * For tests and benchmarks outside of this package: made-up runs and results, files that other tools really wrote,
 * and the examples of every expectation.
 */
export { examplesOf } from "./expectation-examples.ts";
export { madeResult, madeRun } from "./made-runs.ts";
export { samplePath, samples } from "./samples.ts";
export { story, storyRuns } from "./story.ts";
export { writeZip } from "./write-zip.ts";
