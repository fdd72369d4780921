/** For tests and benchmarks outside of this package: made-up runs and results, and files that other tools really wrote. */
export { madeResult, madeRun } from "./made-runs.ts";
export { samplePath, samples } from "./samples.ts";
export { story, storyRuns } from "./story.ts";
export { writeZip } from "./write-zip.ts";
