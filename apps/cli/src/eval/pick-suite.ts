/**
 * Finds the suite and the run that a command is about.
 *
 * - `pickSuite(store, given)` the given suite, or the only one.
 * - `newestRun(store, suite)` `suite/id` of the newest run.
 */
import { DevflowError } from "@devflow/core/errors";
import { nearest } from "@devflow/core/nearest";
import type { EvalStore } from "@devflow/evals/store";
import { allLines } from "./with-store.ts";

export function suitesOf(store: EvalStore): string[] {
  return [...new Set(allLines(store).map(({ suite }) => suite))].sort();
}

export function pickSuite(store: EvalStore, given: string | undefined): string {
  const suites = suitesOf(store);
  const [only] = suites;
  if (given !== undefined) {
    if (suites.includes(given)) return given;
    const meant = nearest(given, suites);
    const next = meant ? `Did you mean ${meant}?` : "See the stored runs: devflow eval list";
    throw new DevflowError("not_found", { details: { what: `A run of the suite "${given}"`, next } });
  }
  if (only === undefined) throw nothing();
  if (suites.length === 1) return only;
  throw new DevflowError("usage", {
    details: { problem: `There are several suites: ${suites.join(", ")}.`, next: `Choose one: --suite ${only}` },
  });
}

export function newestRun(store: EvalStore, suite: string | undefined): string {
  const [newest] = store.list({ limit: 1, ...(suite === undefined ? {} : { suite }) }).runs;
  if (!newest) {
    if (suite !== undefined) pickSuite(store, suite);
    throw nothing();
  }
  return `${newest.suite}/${newest.runId}`;
}

function nothing(): DevflowError {
  return new DevflowError("not_found", {
    details: {
      what: "A stored eval run",
      next: "To store one: devflow eval check <cases> <outputs>, or devflow eval push <file>",
    },
  });
}
