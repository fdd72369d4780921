/** An exporter: one record per format; `docs/eval-formats.md` is generated from these records. */
import type { EvalResult, EvalRun } from "../../results/result.ts";

export type Results = AsyncIterable<EvalResult> | Iterable<EvalResult>;

export interface Exporter {
  readonly id: string;
  readonly title: string;
  /** Including the dot. */
  readonly extension: string;
  readonly carried: readonly string[];
  readonly lost: readonly string[];
  /** Streamed, so that a run of any size can be exported. */
  write(run: EvalRun, results: Results): AsyncIterable<string>;
}

export function asText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
