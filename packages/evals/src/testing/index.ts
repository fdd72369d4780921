/** For tests and benchmarks outside of this package: made-up runs and results, and files that other tools really wrote. */
import { fileURLToPath } from "node:url";

export { madeResult, madeRun } from "../compare/made-runs.ts";
export { samples } from "../interop/fixtures/samples.ts";
export { writeZip } from "../interop/zip/write-zip.ts";

export const samplePath = (file: string): string =>
  fileURLToPath(new URL(`../interop/fixtures/${file}`, import.meta.url));
