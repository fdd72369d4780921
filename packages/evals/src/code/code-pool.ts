/**
 * Runs the code of a suite in other processes, within limits.
 *
 * - `openCodePool(options)` starts workers when they are needed; `pool.run(job)` one job's value.
 * - A job that takes too long, needs too much memory or kills its worker is a `CodeLimit`; the next job gets a new worker.
 *   Whatever the code throws is a `CodeFailure`.
 * - `pool.close()` ends all workers and what they started.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { answerDescriptor, type CodeAnswer, type CodeJob } from "./code-job.ts";
import { scriptCommand } from "./script-languages.ts";

export interface CodePoolOptions {
  /** Starts a worker: a program that calls `runCodeWorker`. */
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workers?: number;
  readonly timeoutMs?: number;
  readonly maxMemoryBytes?: number;
  readonly signal?: AbortSignal | undefined;
  /** Its workers run scripts of one language. */
  readonly isScript?: boolean;
}

export interface CodePool {
  readonly options: CodePoolOptions;
  run(job: CodeJob, timeoutMs?: number): Promise<unknown>;
  close(): Promise<void>;
}

/** The code failed: it threw, or does not compile. */
export class CodeFailure extends Error {
  override readonly name = "CodeFailure";
  /** A module that the job needs is not installed. */
  readonly isMissing: boolean;
  constructor(message: string, isMissing = false) {
    super(message);
    this.isMissing = isMissing;
  }
}

/** The code was stopped. */
export class CodeLimit extends Error {
  override readonly name = "CodeLimit";
}

const usualTimeoutMs = 30_000;
const usualMemoryBytes = 1024 * 1024 * 1024;
const memoryCheckMs = 250;
const maxCpuSeconds = 600;
/** Then a worker is replaced: long before honest code reaches its limit of processor time. */
const jobsPerWorker = 1_000;
const keptStderr = 2_000;

export function openCodePool(options: CodePoolOptions): CodePool {
  const { workers = 2, timeoutMs = usualTimeoutMs } = options;
  const idle: CodeWorker[] = [];
  const all = new Set<CodeWorker>();
  const waiting: (() => void)[] = [];
  const scripts = new Map<string, CodePool>();
  let isClosed = false;

  const take = async (): Promise<CodeWorker> => {
    for (;;) {
      if (isClosed) throw new CodeLimit("the suite was stopped");
      const free = idle.pop();
      if (free?.isAlive) return free;
      if (free) continue;
      if (all.size < workers) {
        const made = new CodeWorker(options, () => {
          all.delete(made);
          waiting.shift()?.();
        });
        all.add(made);
        return made;
      }
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  };
  const close = async () => {
    isClosed = true;
    for (const wake of waiting.splice(0)) wake();
    await Promise.all([...[...all].map((worker) => worker.end()), ...[...scripts.values()].map((one) => one.close())]);
  };
  /** Scripts have workers of their own language. */
  const poolFor = (job: Extract<CodeJob, { kind: "script" }>): CodePool => {
    const command = scriptCommand(job.language, job.program, options.env);
    const found =
      scripts.get(command[0] ?? "") ?? openCodePool({ ...options, command, signal: undefined, isScript: true });
    scripts.set(command[0] ?? "", found);
    return found;
  };
  options.signal?.addEventListener("abort", () => void close(), { once: true });
  return {
    options,
    close,
    async run(job, limitMs = timeoutMs) {
      if (job.kind === "script" && !options.isScript) return await poolFor(job).run(job, limitMs);
      const worker = await take();
      try {
        return await worker.run(job, limitMs, options.maxMemoryBytes ?? usualMemoryBytes);
      } finally {
        if (worker.isSpent) await worker.end();
        else if (worker.isAlive) idle.push(worker);
        waiting.shift()?.();
      }
    },
  };
}

class CodeWorker {
  private readonly child: ChildProcess;
  private readonly ended: Promise<void>;
  private ids = 0;
  private stderr = "";
  private onAnswer: ((answer: CodeAnswer) => void) | undefined;
  private onEnd: ((why: string) => void) | undefined;
  isAlive = true;

  get isSpent(): boolean {
    return this.ids >= jobsPerWorker;
  }

  constructor({ command, cwd, env }: CodePoolOptions, onGone: () => void) {
    // The limit is the kernel's: code that spins ends even if this process was killed.
    const limited = ["-c", `ulimit -t ${maxCpuSeconds}; exec "$@"`, "sh", ...command];
    this.child = spawn("/bin/sh", limited, {
      cwd,
      env: env as NodeJS.ProcessEnv,
      detached: true,
      stdio: ["pipe", "ignore", "pipe", "pipe"],
    });
    this.ended = new Promise((resolve) => {
      const gone = (why: string) => {
        this.isAlive = false;
        this.killGroup();
        onGone();
        this.onEnd?.(why);
        resolve();
      };
      this.child.once("error", (error) => gone(`could not be started: ${error.message}`));
      this.child.once("exit", (code, killedBy) => gone(killedBy ? `was killed by ${killedBy}` : `exited with ${code}`));
    });
    this.child.stderr?.on("data", (chunk: Buffer) => {
      this.stderr = (this.stderr + chunk.toString("utf8")).slice(-keptStderr);
    });
    // It may end before it has read its input.
    this.child.stdin?.on("error", () => undefined);
    createInterface({ input: this.child.stdio[answerDescriptor] as Readable }).on("line", (line) => {
      this.onAnswer?.(JSON.parse(line) as CodeAnswer);
    });
  }

  run(job: CodeJob, timeoutMs: number, maxMemoryBytes: number): Promise<unknown> {
    const id = ++this.ids;
    return new Promise((resolve, reject) => {
      const stop = (why: string) => {
        finish();
        // At once: until the system reports its end, it must not get another job.
        this.isAlive = false;
        this.killGroup();
        reject(new CodeLimit(why));
      };
      const timer = setTimeout(() => stop(`it took longer than ${timeoutMs} ms`), timeoutMs);
      const memory = setInterval(() => {
        void residentBytes(this.child.pid).then((bytes) => {
          if (bytes > maxMemoryBytes)
            stop(`it used more than ${Math.round(maxMemoryBytes / 1024 / 1024)} MB of memory`);
        });
      }, memoryCheckMs);
      const finish = () => {
        clearTimeout(timer);
        clearInterval(memory);
        this.onAnswer = undefined;
        this.onEnd = undefined;
      };
      this.onEnd = (why) => {
        finish();
        const said = this.stderr.trim();
        reject(new CodeLimit(`its process ${why}${said ? `: ${said}` : ""}`));
      };
      this.onAnswer = (answer) => {
        if (answer.id !== id) return;
        finish();
        if ("error" in answer) reject(new CodeFailure(answer.error, answer.isMissing === true));
        else if (answer.isFunction) reject(new CodeFailure("it returned a function"));
        else resolve(answer.number === undefined ? answer.value : Number(answer.number));
      };
      this.child.stdin?.write(`${JSON.stringify({ id, job })}\n`);
    });
  }

  async end(): Promise<void> {
    this.killGroup();
    await this.ended;
  }

  private killGroup(): void {
    const { pid } = this.child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // It and its children have already ended.
    }
  }
}

/** 0 where the system does not tell. */
async function residentBytes(pid: number | undefined): Promise<number> {
  const text = await readFile(`/proc/${pid}/statm`, "utf8").catch(() => "");
  return Number(text.split(" ")[1] ?? 0) * 4096;
}
