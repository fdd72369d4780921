/**
 * Distributes a list of jobs over several workers.
 *
 * - `runInWorkers(jobs, options)` passes each job's result to `onResult` as it arrives.
 *
 * A worker that dies loses no finished result: results are sent over its pipe one by one, and those that did not arrive are
 * read from its partial. The case it was checking becomes an ERROR, its command is ended, and another worker takes over.
 * Workers end with this process, because their input closes.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { readPrivateFile } from "@devflow/core/atomic-file";
import { DevflowError } from "@devflow/core/errors";
import { parseJson } from "@devflow/core/read-if-there";
import { type CheckJob, type CheckSettings, toWire } from "./case-runner.ts";
import { failedResult } from "./check-case.ts";
import { partialPath } from "./partial-file.ts";
import type { ResultRecord } from "./result-record.ts";
import type { WorkerMessage } from "./worker.ts";

export interface WorkerPoolOptions {
  readonly workers: number;
  /** A command that calls `runCheckWorker` on its standard input and output. */
  readonly workerCommand: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly settings: CheckSettings;
  readonly onResult: (job: CheckJob, result: ResultRecord) => void;
  /** The result of a job whose worker died. */
  readonly onLost: (job: CheckJob, result: ResultRecord) => void;
  readonly onStart?: (job: CheckJob, pid: number) => void;
  readonly signal?: AbortSignal | undefined;
}

interface Worker {
  readonly child: ChildProcess;
  readonly pid: number;
  isReady: boolean;
  job: CheckJob | undefined;
  command: number | undefined;
  stderr: string;
}

const maxFalseStarts = 3;

export async function runInWorkers(
  jobs: readonly CheckJob[],
  options: WorkerPoolOptions,
): Promise<{ readonly pids: number[] }> {
  const { workers, workerCommand, env, settings, onResult, onLost, onStart, signal } = options;
  const waiting = [...jobs];
  const running = new Set<Worker>();
  const pids: number[] = [];
  const setup = `${JSON.stringify({ settings: toWire(settings) })}\n`;
  let falseStarts = 0;
  const { promise, resolve, reject } = Promise.withResolvers<void>();

  const stopAll = () => {
    for (const worker of running) {
      endCommand(worker);
      worker.child.kill("SIGKILL");
    }
  };
  const fail = (error: unknown) => {
    waiting.length = 0;
    stopAll();
    reject(error);
  };
  const next = (worker: Worker) => {
    worker.job = waiting.shift();
    if (!worker.job) {
      worker.child.stdin?.end(`${JSON.stringify({ end: true })}\n`);
      return;
    }
    worker.child.stdin?.write(`${JSON.stringify({ job: worker.job })}\n`);
    onStart?.(worker.job, worker.pid);
  };
  const hear = (worker: Worker, message: WorkerMessage) => {
    if ("ready" in message) {
      worker.isReady = true;
      falseStarts = 0;
      next(worker);
    } else if ("process" in message) worker.command = message.process ?? undefined;
    else if (worker.job?.index === message.done) {
      const { job } = worker;
      worker.job = undefined;
      onResult(job, message.result);
      next(worker);
    }
  };
  const bury = async (worker: Worker, how: string) => {
    running.delete(worker);
    endCommand(worker);
    const { job } = worker;
    if (!worker.isReady) falseStarts += 1;
    if (falseStarts >= maxFalseStarts) {
      const problem = `The workers cannot be started: ${how}${worker.stderr ? `: ${worker.stderr.trim()}` : ""}`;
      fail(new DevflowError("internal", { details: { problem } }));
      return;
    }
    if (job && !signal?.aborted) {
      const finished = await finishedIn(partialPath(settings.partialsFolder, worker.pid), job);
      if (finished) onResult(job, finished);
      else onLost(job, failedResult(job.given, job.repeat, `worker ${worker.pid} ${how} while checking this case`));
    }
    if (waiting.length > 0 && !signal?.aborted) start();
    else if (running.size === 0) resolve();
  };
  const start = () => {
    const [program = "", ...rest] = workerCommand;
    const child = spawn(program, rest, { env: env as NodeJS.ProcessEnv, stdio: ["pipe", "pipe", "pipe"] });
    const worker: Worker = {
      child,
      pid: child.pid ?? -1,
      isReady: false,
      job: undefined,
      command: undefined,
      stderr: "",
    };
    running.add(worker);
    if (child.pid !== undefined) pids.push(child.pid);
    let isOver = false;
    const over = (how: string) => {
      if (isOver) return;
      isOver = true;
      bury(worker, how).catch(fail);
    };
    child.once("error", (error) => over(`could not be started (${error.message})`));
    // `close` and not `exit`: after the exit, its last output may still be in the pipe.
    child.once("close", (code, killedBy) => over(killedBy ? `was killed by ${killedBy}` : `exited with ${code}`));
    child.stdin.on("error", () => undefined);
    child.stderr.on("data", (chunk: Buffer) => {
      worker.stderr = (worker.stderr + chunk.toString("utf8")).slice(-2_000);
    });
    createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY }).on("line", (line) => {
      const message = parse(line);
      if (message) hear(worker, message);
    });
    child.stdin.write(setup);
  };

  signal?.addEventListener("abort", stopAll, { once: true });
  try {
    for (let count = Math.min(workers, jobs.length); count > 0; count -= 1) start();
    if (running.size === 0) resolve();
    await promise;
    signal?.throwIfAborted();
    return { pids };
  } finally {
    signal?.removeEventListener("abort", stopAll);
  }
}

/** For a worker that was killed after writing its result and before sending it. */
async function finishedIn(path: string, { given, repeat }: CheckJob): Promise<ResultRecord | undefined> {
  const text = await readPrivateFile(path).catch(() => undefined);
  const content = text === undefined ? undefined : (parseJson(text) as { all_results?: ResultRecord[] } | undefined);
  return content?.all_results?.find(
    (one) => one.name === given.name && one.input_sha === given.inputSha && one.repeat === repeat,
  );
}

function endCommand(worker: Worker): void {
  if (worker.command === undefined) return;
  try {
    process.kill(-worker.command, "SIGKILL");
  } catch {
    // It has already ended.
  }
  worker.command = undefined;
}

function parse(line: string): WorkerMessage | undefined {
  const message = parseJson(line);
  return typeof message === "object" && message !== null ? (message as WorkerMessage) : undefined;
}
