/** Reads the words people use for a verdict. Null: unknown. */
import type { ResultStatus } from "../results/result.ts";

const words: Readonly<Record<ResultStatus, readonly string[]>> = {
  pass: [
    "pass",
    "passed",
    "true",
    "yes",
    "y",
    "ok",
    "success",
    "succeeded",
    "correct",
    "right",
    "good",
    "1",
    "relevant",
    "✓",
    "✅",
  ],
  fail: [
    "fail",
    "failed",
    "failure",
    "false",
    "no",
    "n",
    "incorrect",
    "wrong",
    "bad",
    "0",
    "not_relevant",
    "irrelevant",
    "✗",
    "❌",
  ],
  error: ["error", "errored", "crash", "crashed", "broken", "timeout", "exception"],
  skipped: ["skip", "skipped", "pending", "todo", "ignored", "disabled", "not run", "n/a"],
};

const statusByWord = new Map(
  Object.entries(words).flatMap(([status, known]) => known.map((word) => [word, status as ResultStatus] as const)),
);

export function verdictOf(said: string): ResultStatus | null {
  return statusByWord.get(said.trim().toLowerCase()) ?? null;
}
