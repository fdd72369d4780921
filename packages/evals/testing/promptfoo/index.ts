/** Entry point of the comparison with promptfoo: `@devflow/evals/testing/promptfoo`. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Verdict } from "./our-verdicts.ts";
import { verdictsFile } from "./record-verdicts.ts";
import type { SuiteVerdict } from "./suite-verdicts.ts";

export { assertionVectors } from "./assertion-vectors.ts";
export { codeWorkerCommand, ourVerdicts } from "./our-verdicts.ts";
export { theirAssertionVerdicts, theirSuiteVerdicts, verdictsFile } from "./record-verdicts.ts";
export { ourSuiteVerdicts, suiteNames } from "./suite-verdicts.ts";

/** The folder of the scripted judge. */
export const promptfooFixtures = fileURLToPath(new URL(".", import.meta.url));

const read = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));
export const recordedAssertions = (): Verdict[] => read(verdictsFile("assertions")) as Verdict[];
export const recordedSuites = (): Record<string, SuiteVerdict[]> =>
  read(verdictsFile("suites")) as Record<string, SuiteVerdict[]>;
