/** What an exporter is: one record per format; `docs/eval-formats.md` is made from these records. */
import type { EvalResult, EvalRun } from "../../results/result.ts";

export type Results = AsyncIterable<EvalResult> | Iterable<EvalResult>;

export interface Exporter {
  readonly id: string;
  readonly title: string;
  /** With the dot. */
  readonly extension: string;
  readonly carried: readonly string[];
  readonly lost: readonly string[];
  /** In pieces, so that any size fits in memory. */
  write(run: EvalRun, results: Results): AsyncIterable<string>;
}

export function asText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
