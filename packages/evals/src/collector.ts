/**
 * Collects eval results in a TypeScript or JavaScript program and writes them for Devflow. No dependencies.
 *
 *     const evals = new EvalCollector({ suite: "billing" });
 *     evals.addTest({ name: "refund", passed: true, duration_ms: 1200 });
 *     const path = evals.finalize();          // then: devflow eval push <path>
 *
 * - `addTest(test)` one result, in the file format.
 * - `savePartial()` writes the results so far as this worker's partial: `devflow eval watch` shows it, and
 *   `devflow eval push --partials <suite>` merges the partials of all workers.
 * - `finalize()` writes the result file of a single-process program and removes its partial.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

export interface CollectedTest {
  readonly name: string;
  readonly passed?: boolean | null;
  readonly status?: "pass" | "fail" | "error" | "skipped";
  readonly [member: string]: unknown;
}

export interface CollectorOptions {
  readonly suite: string;
  /** The same for all workers of one run; distinguishes them from partials of an earlier run. */
  readonly runId?: string;
  /** Other members of the run: `tier`, `label`, `git_sha`, `model`, … */
  readonly run?: Readonly<Record<string, unknown>>;
  /** Expected number of results, for progress. */
  readonly expected?: number;
  /** Default: DEVFLOW_HOME or ~/.devflow. */
  readonly home?: string;
}

export class EvalCollector {
  readonly #options: CollectorOptions;
  readonly #startedAt = new Date().toISOString();
  readonly #tests: Record<string, unknown>[] = [];

  constructor(options: CollectorOptions) {
    if (!options.suite) throw new Error("EvalCollector needs a suite name");
    this.#options = options;
  }

  addTest(test: CollectedTest): void {
    if (!test.name) throw new Error("a test needs a name");
    if (typeof test.passed !== "boolean" && !test.status) throw new Error(`"${test.name}" needs passed or status`);
    this.#tests.push({ finished_at: new Date().toISOString(), ...test });
  }

  /** Set `isFinished` with the last save: a worker that ends without it is shown as dead. */
  savePartial(isFinished = false): string {
    const path = join(this.#folder(), `worker_${process.pid}.json`);
    const worker = {
      pid: process.pid,
      identity: processIdentity(),
      updated_at: new Date().toISOString(),
      finished: isFinished,
      expected: this.#options.expected ?? null,
    };
    writeWhole(path, this.#content({ worker }));
    return path;
  }

  finalize(path: string = join(this.#folder(), `result_${process.pid}.json`)): string {
    writeWhole(path, this.#content({}));
    rmSync(join(this.#folder(), `worker_${process.pid}.json`), { force: true });
    return path;
  }

  #content(more: Record<string, unknown>): string {
    const { suite, runId, run } = this.#options;
    const passed = this.#tests.filter(({ passed: isPass, status }) => (status ? status === "pass" : isPass)).length;
    const durationSeconds = (Date.now() - Date.parse(this.#startedAt)) / 1000;
    return JSON.stringify({
      schema_version: 1,
      suite,
      ...(runId === undefined ? {} : { run_id: runId }),
      timestamp: this.#startedAt,
      ...run,
      ...more,
      total: this.#tests.length,
      passed,
      duration_seconds: durationSeconds,
      all_results: this.#tests,
    });
  }

  #folder(): string {
    const home = this.#options.home ?? (process.env.DEVFLOW_HOME || join(homedir(), ".devflow"));
    return join(home, "eval-partials", encodeURIComponent(this.#options.suite).replace(/^\./, "%2E"));
  }
}

function writeWhole(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, content, { mode: 0o600 });
  renameSync(temporary, path);
}

/** Identifies a process on Linux as Devflow does; elsewhere the pid is used. */
function processIdentity(): string | null {
  try {
    const found = readFileSync("/proc/self/stat", "utf8");
    const started = found.slice(found.lastIndexOf(")") + 2).split(" ")[19];
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}:${started}`;
  } catch {
    return null;
  }
}
