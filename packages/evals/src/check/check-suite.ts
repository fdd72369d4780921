/**
 * Checks a suite: cases and outputs in, a result file in Devflow's format out.
 *
 * - `checkSuite(options)` checks all cases, in this process or in `workers` processes, and reports progress.
 */
import { readFile, rm } from "node:fs/promises";
import { hashBytes } from "@devflow/core/hash";
import { uuidv7 } from "@devflow/core/ids";
import type { EvalCase } from "../cases/index.ts";
import type { EvalTier } from "../results/result.ts";
import type { AssertionSettings } from "./assertion-checks.ts";
import type { CaseOutputs } from "./case-output.ts";
import { type CheckJob, type CheckSettings, caseRunner, type JudgeSettings } from "./case-runner.ts";
import { failedResult } from "./check-case.ts";
import type { OutputCommand } from "./command-outputs.ts";
import { type OutputIndex, outputIndex, outputsFor, readOutputs } from "./given-outputs.ts";
import { partialFile, partialPath } from "./partial-file.ts";
import type { ResultRecord, RunRecord } from "./result-record.ts";
import { runRecord } from "./run-record.ts";
import { runInWorkers } from "./worker-pool.ts";

export type OutputSource =
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "command"; readonly command: OutputCommand; readonly repeats?: number };

export interface RunFacts {
  readonly label: string;
  readonly gitSha: string | null;
  readonly gitBranch: string | null;
  readonly host: string | null;
  readonly model?: string | null;
  readonly runId?: string;
}

export interface CheckProgress {
  readonly done: number;
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly errors: number;
  readonly running: readonly string[];
  readonly elapsedMs: number;
  readonly last: { readonly name: string; readonly status: ResultRecord["status"] } | undefined;
}

export interface CheckSuiteOptions {
  readonly suite: string;
  /** Already selected. */
  readonly cases: readonly EvalCase[];
  readonly outputs: OutputSource;
  readonly tier: EvalTier;
  readonly facts: RunFacts;
  readonly judge?: JudgeSettings | undefined;
  /** `<home>/eval-partials/<suite>`. */
  readonly partialsFolder: string;
  readonly verboseFolder?: string | undefined;
  /** The home whose output cache is used; undefined: no cache. */
  readonly cacheHome?: string | undefined;
  /** For promptfoo's assertion types. */
  readonly assertions?: AssertionSettings | undefined;
  /** `EVAL_WORKERS`; 1 checks in this process. */
  readonly workers?: number;
  readonly workerCommand?: readonly string[];
  /** The environment of the workers. */
  readonly workerEnv?: Readonly<Record<string, string | undefined>>;
  readonly onProgress?: (progress: CheckProgress) => void;
  readonly signal?: AbortSignal | undefined;
  readonly now?: () => number;
}

export interface CheckedSuite {
  readonly run: RunRecord;
  readonly warnings: readonly string[];
  /** Call this once the run is stored: after a crash, `push --partials` uses the partials. */
  removePartials(): Promise<void>;
}

export async function checkSuite(options: CheckSuiteOptions): Promise<CheckedSuite> {
  const { suite, cases, outputs, tier, facts, judge, partialsFolder, verboseFolder, signal, now = Date.now } = options;
  const began = now();
  const known = outputIndex(outputs.kind === "path" ? await readOutputs(outputs.path) : []);
  const { jobs, ready } = planJobs(cases, outputs, known);
  const total = jobs.length + ready.length;
  const runId = facts.runId ?? uuidv7(began);
  const settings: CheckSettings = {
    facts: {
      run_id: runId,
      suite,
      label: facts.label,
      tier,
      planned: total,
      timestamp: new Date(began).toISOString(),
      git_sha: facts.gitSha,
      git_branch: facts.gitBranch,
    },
    command: outputs.kind === "command" ? outputs.command : undefined,
    judge,
    partialsFolder,
    verboseFolder,
    cacheHome: options.cacheHome,
    assertions: options.assertions,
  };
  const results = new Map<number, ResultRecord>();
  const running = new Map<number, string>();
  const tally = { passed: 0, failed: 0, errors: 0 };
  const report = (last: CheckProgress["last"]) =>
    options.onProgress?.({
      done: results.size,
      total,
      ...tally,
      running: [...running.values()],
      elapsedMs: now() - began,
      last,
    });
  const keep = (index: number, result: ResultRecord) => {
    results.set(index, result);
    running.delete(index);
    if (result.status === "pass") tally.passed += 1;
    else if (result.status === "fail") tally.failed += 1;
    else tally.errors += 1;
    report({ name: result.name, status: result.status });
  };

  for (const { index, result } of ready) keep(index, result);
  const { workers = 1, workerCommand } = options;
  const partials = [partialPath(partialsFolder, process.pid)];
  if (workers > 1 && workerCommand && jobs.length > 1) {
    // Results without a worker go to this process's own partial, so that `eval watch` sees them, and sees this process die.
    const own = partialFile(partialsFolder, settings.facts, now, { isCoordinator: true });
    for (const { result } of ready) await own.add(result);
    await own.flush();
    let writing = Promise.resolve();
    const { pids } = await runInWorkers(jobs, {
      workers,
      workerCommand,
      env: options.workerEnv ?? {},
      settings,
      signal,
      onStart({ index, given }) {
        running.set(index, given.name);
        report(undefined);
      },
      onResult: ({ index }, result) => keep(index, result),
      onLost({ index }, result) {
        keep(index, result);
        writing = writing.then(() => own.add(result));
      },
    });
    await writing;
    await own.finish();
    partials.push(...pids.map((pid) => partialPath(partialsFolder, pid)));
  } else {
    const runner = caseRunner(settings, { signal });
    for (const { result } of ready) await runner.keep(result);
    for (const job of jobs) {
      signal?.throwIfAborted();
      running.set(job.index, job.given.name);
      report(undefined);
      const result = await runner.run(job);
      signal?.throwIfAborted();
      keep(job.index, result);
    }
    await runner.finish();
  }

  const all = [...results.entries()].sort(([a], [b]) => a - b).map(([, result]) => result);
  const run = runRecord(all, {
    runId,
    suite,
    label: facts.label,
    at: began,
    gitSha: facts.gitSha,
    gitBranch: facts.gitBranch,
    promptSha: await promptSha(cases),
    host: facts.host,
    tier,
    model: facts.model ?? null,
    durationMs: now() - began,
  });
  const removePartials = async () => {
    await Promise.all(partials.map((path) => rm(path, { force: true })));
  };
  return { run, warnings: unusedOutputs(known), removePartials };
}

/** Cases without an output get their result immediately. */
function planJobs(cases: readonly EvalCase[], outputs: OutputSource, known: OutputIndex) {
  const jobs: CheckJob[] = [];
  const ready: { index: number; result: ResultRecord }[] = [];
  const names = new Map<string, number>();
  for (const { name } of cases) names.set(name, (names.get(name) ?? 0) + 1);
  let index = 0;
  for (const given of cases) {
    if (outputs.kind === "command") {
      for (let repeat = 0; repeat < (outputs.repeats ?? 1); repeat += 1) jobs.push({ index: index++, given, repeat });
      continue;
    }
    const found = outputsFor(given, known, names.get(given.name) ?? 1);
    if ("problem" in found) ready.push({ index: index++, result: failedResult(given, 0, found.problem) });
    else found.forEach((one: CaseOutputs, repeat) => void jobs.push({ index: index++, given, repeat, outputs: one }));
  }
  return { jobs, ready };
}

function unusedOutputs(known: OutputIndex): string[] {
  const unused = known.unused();
  if (unused.length === 0) return [];
  const shown = unused.slice(0, 10).join(", ");
  return [`outputs of ${unused.length} case(s) that are not selected or do not exist: ${shown}`];
}

/** A hash of the content of all prompt files of the suite; null if no case has any. */
async function promptSha(cases: readonly EvalCase[]): Promise<string | null> {
  const files = [...new Set(cases.flatMap(({ promptSourceFiles }) => promptSourceFiles))].sort();
  if (files.length === 0) return null;
  const shas: string[] = [];
  for (const file of files) shas.push(hashBytes(await readFile(file)));
  return hashBytes(shas.join("\n"));
}
