/**
 * Finds the runs that a command is about.
 *
 * - `newestLine(store)` the newest run; fails if the store is empty.
 * - `runOf(store, word)` one run by its id, or the newest of a suite.
 * - `caseHistory(store, word)` the results of a case in all runs.
 */
import { DevflowError } from "@devflow/core/errors";
import { nearest } from "@devflow/core/nearest";
import { runName } from "@devflow/evals/compare";
import type { EvalStore, HistoryPoint, RunLine, StoredRun } from "@devflow/evals/store";
import { allLines } from "./with-store.ts";

const pushFirst = "To store one: devflow eval push <file>";

export function newestLine(store: EvalStore): RunLine {
  const [line] = store.list({ limit: 1 }).runs;
  if (line) return line;
  throw new DevflowError("not_found", { details: { what: "An eval run", next: pushFirst } });
}

/** A run by its id or its first characters; a suite's name means its newest run; undefined means the newest run. */
export async function runOf(store: EvalStore, word: string | undefined): Promise<StoredRun> {
  if (word === undefined) return store.run(runName(newestLine(store)));
  const [newest] = store.list({ suite: word, limit: 1 }).runs;
  return store.run(newest ? runName(newest) : word);
}

const suitesOf = (lines: readonly RunLine[]): string[] => [...new Set(lines.map(({ suite }) => suite))].sort();

/** All results of the case, newest first; fails if no suite, or more than one, has such a case. */
export function caseHistory(store: EvalStore, word: string, suite?: string, tier?: string): readonly HistoryPoint[] {
  const query = {
    case: word,
    limit: 100_000,
    withRenames: true,
    ...(suite ? { suite } : {}),
    ...(tier ? { tier } : {}),
  };
  const points = store.history(query);
  const suites = [...new Set(points.map((point) => point.suite))];
  if (suites.length === 1) return points;
  if (suites.length > 1) {
    const problem = `Several suites have a case "${word}": ${suites.join(", ")}.`;
    throw new DevflowError("conflict", { details: { problem, next: `Choose one: --suite ${suites[0]}` } });
  }
  const near = nearest(word, suitesOf(allLines(store)));
  const next = near
    ? `Did you mean the suite ${near}? devflow eval trend ${near}`
    : "See the cases of a run: devflow eval show";
  throw new DevflowError("not_found", { details: { what: `A case called "${word}"`, next } });
}
