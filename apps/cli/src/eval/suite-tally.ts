/** Counts the results of a promptfoo suite while it runs, and keeps its first problems for the report. */
import { problemsOf, type SuiteResult, statusOf } from "@devflow/evals/promptfoo";
import type { SuiteProblem, SuiteTally } from "./suite-view.ts";

/** Kept for the report; the file has them all. */
const mostProblems = 100;

export class Tally implements SuiteTally {
  readonly counts = { passed: 0, failed: 0, errors: 0, skipped: 0 };
  readonly problems: SuiteProblem[] = [];
  private readonly began = Date.now();
  readonly total: number;

  constructor(total: number) {
    this.total = total;
  }

  get elapsedMs(): number {
    return Date.now() - this.began;
  }

  add(result: SuiteResult): void {
    const status = statusOf(result);
    this.counts[status === "pass" ? "passed" : status === "fail" ? "failed" : "errors"] += 1;
    if (status === "pass" || this.problems.length >= mostProblems) return;
    const { description } = result.testCase;
    const values = Object.entries(result.vars).map(
      ([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
    );
    const name = description ?? (values.join(", ") || result.prompt.raw);
    this.problems.push({ name: name.slice(0, 200), status, problem: problemsOf(result).join("\n") });
  }

  progress() {
    const { passed, failed, errors } = this.counts;
    return {
      done: passed + failed + errors,
      total: this.total,
      passed,
      failed,
      errors,
      running: [],
      elapsedMs: this.elapsedMs,
      last: undefined,
    };
  }
}
