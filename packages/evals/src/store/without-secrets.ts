/**
 * Removes detectable secrets from data that leaves this machine: agents' outputs quote environment variables and keys.
 *
 * - `secretCleaner()` loads the detectors once; `result(…)` and `record(…)` return the value without secrets, at any depth.
 *
 * Names, categories and hashes identify a case and are not changed.
 */
import type { EvalResult } from "../results/result.ts";
import type { RunRecord } from "./run-record.ts";

export interface SecretCleaner {
  result(result: EvalResult): EvalResult;
  record(record: RunRecord): RunRecord;
}

/** Loaded on demand: only a push with a team needs it. */
export async function secretCleaner(): Promise<SecretCleaner> {
  const { redactSecrets } = await import("@devflow/redact");
  const clean = <T>(value: T): T => deep(value, (text) => redactSecrets(text).text) as T;
  return {
    result: (result) => ({
      ...result,
      input: clean(result.input),
      output: clean(result.output),
      responsePreview: clean(result.responsePreview),
      error: clean(result.error),
      failures: clean(result.failures),
      comparison: clean(result.comparison),
      extra: clean(result.extra),
    }),
    record: (record) => ({
      ...record,
      run: { ...record.run, extra: clean(record.run.extra) },
      summary: { ...record.summary, failures: clean(record.summary.failures) },
      warnings: clean(record.warnings),
    }),
  };
}

function deep(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => deep(item, change));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, deep(item, change)]));
}
