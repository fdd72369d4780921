/**
 * Which runs a command means when the user says little.
 *
 * - `newestLine(store)` the newest run; an empty store is an error that says how to fill it.
 * - `suiteNamed(store, word)` the suite of that name, or the only one.
 * - `suiteOfCase(store, name, suite)` the suite in which a case of that name was run last.
 */
import { DevflowError } from "@devflow/core/errors";
import { nearest } from "@devflow/core/nearest";
import type { EvalStore, HistoryPoint, RunLine } from "@devflow/evals/store";
import { allLines } from "./with-store.ts";

const pushFirst = "Store one: devflow eval push <file>";

export function newestLine(store: EvalStore): RunLine {
  const [line] = store.list({ limit: 1 }).runs;
  if (line) return line;
  throw new DevflowError("not_found", { details: { what: "An eval run", next: pushFirst } });
}

export const suitesOf = (lines: readonly RunLine[]): string[] => [...new Set(lines.map(({ suite }) => suite))].sort();

/** All points of the case, newest first; fails with the nearest name. */
export function caseHistory(store: EvalStore, word: string, suite?: string, tier?: string): readonly HistoryPoint[] {
  const query = { case: word, limit: 100_000, ...(suite ? { suite } : {}), ...(tier ? { tier } : {}) };
  const points = store.history(query);
  if (points.length > 0) return points;
  const near = nearest(word, suitesOf(allLines(store)));
  const next = near ? `Is it the suite ${near}? devflow eval trend ${near}` : "devflow eval show";
  throw new DevflowError("not_found", { details: { what: `A case called "${word}"`, next } });
}
