/** promptfoo suites run as they are, with promptfoo's own verdicts; `scripts/promptfoo-verdicts.ts` records them. */
import { expect, test } from "bun:test";
import { ourSuiteVerdicts, recordedSuites, suiteNames } from "@devflow/evals/testing/promptfoo";

const recorded = recordedSuites();

test("every suite is recorded", () => {
  expect(Object.keys(recorded)).toEqual(suiteNames());
  expect(suiteNames().length).toBeGreaterThanOrEqual(10);
});

test.each(suiteNames())(
  "%s has the verdicts, scores, outputs and metrics that promptfoo gives it",
  async (name) => {
    expect(await ourSuiteVerdicts(name)).toEqual(recorded[name] ?? []);
  },
  60_000,
);
