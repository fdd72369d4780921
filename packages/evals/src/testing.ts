/** For tests and benchmarks outside of this package: runs and results made up, with everything else filled in. */
export { madeResult, madeRun } from "./compare/made-runs.ts";
