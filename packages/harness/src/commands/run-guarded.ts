/**
 * The only way in which Devflow runs commands of a repository or a template: judged first, words and never a shell, output
 * on disk, and no process left when the call returns.
 *
 * - `runGuarded(options)` runs it until its end, the time limit or the abort, and returns how it ended. Throws
 *   `destructive_command_blocked` or `secret_access_blocked` before anything is started, `not_found` when the program or
 *   folder does not exist. A failing command is a result, not an error.
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { type Environment, inheritedEnvironment } from "@devflow/core/config";
import { DevflowError, toDevflowError } from "@devflow/core/errors";
import { plainText } from "@devflow/core/plain-text";
import { redactSecrets, redactStream } from "@devflow/redact";
import { type AddedVariables, childEnvironment } from "../environment/index.ts";
import { type KeptLog, keepLog, type LogFile, openLog } from "./bounded-log.ts";
import { judgeCommand } from "./judge-command.ts";
import { endGroup, markVariable } from "./process-group.ts";

export interface GuardedCommand {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly stdoutPath: string;
  readonly stderrPath: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** The user's environment by default. The command gets only what `childEnvironment` lets through. */
  readonly env?: Environment;
  /** Names of variables that the command gets besides the usual ones. */
  readonly addVariables?: AddedVariables;
  /** Files exempt from the secret rule (the repository's `copy`). */
  readonly allowSecrets?: readonly string[];
  /** Values that must appear neither in the logs nor in the tails, besides everything that looks like a secret. */
  readonly knownSecrets?: readonly string[];
  /** Limit of each log on disk. */
  readonly maxLogBytes?: number;
  /** Limit of each returned tail. */
  readonly tailBytes?: number;
  /** Time between asking a command to end and killing it. */
  readonly graceMs?: number;
}

const commandEndings = ["exit", "timeout", "abort"] as const;
export type CommandEnding = (typeof commandEndings)[number];

export interface GuardedResult {
  readonly ending: CommandEnding;
  /** Undefined when a signal ended it. */
  readonly exitCode: number | undefined;
  readonly endedBySignal: NodeJS.Signals | undefined;
  readonly durationMs: number;
  readonly stdout: KeptLog;
  readonly stderr: KeptLog;
  /** The end of each stream: secrets redacted, colors removed, safe for a prompt and a database. */
  readonly stdoutTail: string;
  readonly stderrTail: string;
}

export async function runGuarded(command: GuardedCommand): Promise<GuardedResult> {
  requireAllowed(command);
  await requireFolder(command.cwd);
  command.signal?.throwIfAborted();
  try {
    return await run(command);
  } catch (error) {
    throw toDevflowError(error);
  }
}

async function run(command: GuardedCommand): Promise<GuardedResult> {
  const { graceMs = 5_000, knownSecrets = [], tailBytes = 16 * 1024 } = command;
  const files = await openLogs(command);
  const startedAt = performance.now();
  const { child, exited, target } = await start(command).catch(async (error) => {
    await Promise.all(files.map((file) => file.close()));
    throw error;
  });
  const logs = keepLogs(command, child, files);
  const limit = waitForLimit(command);
  try {
    // A log that cannot be written ends the command; a complete log decides nothing.
    const logsFailed = logs.then(() => new Promise<never>(() => {}));
    const ending = await Promise.race([exited.then(() => "exit" as const), limit.reached, logsFailed]);
    const durationMs = Math.round(performance.now() - startedAt);
    // Also after a normal exit: background processes would keep logs, ports and files open.
    await endGroup(target, ending === "exit" ? Math.min(graceMs, backgroundGraceMs) : graceMs);
    const { code, by } = await exited;
    const [out, err] = await settled(logs, child);
    const tailOf = (tail: Buffer) => readableTail(tail, knownSecrets, tailBytes);
    return {
      ending,
      exitCode: code ?? undefined,
      endedBySignal: by ?? undefined,
      durationMs,
      stdout: out.log,
      stderr: err.log,
      stdoutTail: tailOf(out.tail),
      stderrTail: tailOf(err.tail),
    };
  } catch (error) {
    await endGroup(target, 0);
    throw error;
  } finally {
    limit.stop();
  }
}

const backgroundGraceMs = 500;
const logsGraceMs = 2_000;

async function openLogs({ stdoutPath, stderrPath }: GuardedCommand): Promise<[LogFile, LogFile]> {
  const out = await openLog(stdoutPath);
  try {
    return [out, await openLog(stderrPath)];
  } catch (error) {
    await out.close();
    throw error;
  }
}

interface Exit {
  readonly code: number | null;
  readonly by: NodeJS.Signals | null;
}

async function start({ argv, cwd, env = inheritedEnvironment(), addVariables }: GuardedCommand) {
  const [program = "", ...words] = argv;
  const mark = randomUUID();
  const child = spawn(program, words, {
    cwd,
    env: { ...childEnvironment(env, addVariables), [markVariable]: mark },
    stdio: ["ignore", "pipe", "pipe"],
    // Its own process group, so that it can be ended with everything it started.
    detached: true,
  });
  const exited = new Promise<Exit>((resolve) => child.once("exit", (code, by) => resolve({ code, by })));
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (error) => reject(notStarted(error, program)));
  });
  return { child, exited, target: { pid: child.pid ?? 0, mark } };
}

type Child = Awaited<ReturnType<typeof start>>["child"];
type Logs = Promise<[Awaited<ReturnType<typeof keepLog>>, Awaited<ReturnType<typeof keepLog>>]>;

function keepLogs(command: GuardedCommand, child: Child, [outFile, errFile]: [LogFile, LogFile]): Logs {
  const { stdoutPath, stderrPath, maxLogBytes = 20 * 1024 * 1024, tailBytes = 16 * 1024, knownSecrets = [] } = command;
  const bounds = { maxBytes: maxLogBytes, tailBytes };
  const known = { known: knownSecrets };
  return Promise.all([
    keepLog(redactStream(child.stdout, known), outFile, { ...bounds, path: stdoutPath }),
    keepLog(redactStream(child.stderr, known), errFile, { ...bounds, path: stderrPath }),
  ]);
}

/** A process that was not found may still hold the other end of a pipe; the call does not wait for it. */
async function settled(logs: Logs, child: Child): Promise<Awaited<Logs>> {
  const timer = setTimeout(() => {
    child.stdout.destroy();
    child.stderr.destroy();
  }, logsGraceMs);
  try {
    return await logs;
  } finally {
    clearTimeout(timer);
  }
}

function waitForLimit({ timeoutMs, signal }: GuardedCommand) {
  let stop = () => {};
  const reached = new Promise<"timeout" | "abort">((resolve) => {
    const timer = setTimeout(() => resolve("timeout"), timeoutMs);
    const onAbort = () => resolve("abort");
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted) onAbort();
    stop = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
  });
  return { reached, stop: () => stop() };
}

function readableTail(tail: Buffer, secrets: readonly string[], most: number): string {
  // Once more: without its colors, a secret may be in one piece.
  const { text } = redactSecrets(plainText(tail.toString("utf8")), { known: secrets });
  const bytes = Buffer.from(text, "utf8");
  // The cut may be within a character; the rest of it is dropped.
  return bytes
    .subarray(Math.max(0, bytes.length - most))
    .toString("utf8")
    .replace(/^\uFFFD+/, "");
}

function requireAllowed({ argv, cwd, allowSecrets = [] }: GuardedCommand): void {
  const judged = judgeCommand(argv, { cwd, allow: allowSecrets });
  if (judged.isAllowed) return;
  if (judged.kind === "secret") {
    throw new DevflowError("secret_access_blocked", { details: { path: judged.path, command: argv.join(" ") } });
  }
  const { rule, reason } = judged;
  throw new DevflowError("destructive_command_blocked", { details: { command: argv.join(" "), rule, reason } });
}

async function requireFolder(cwd: string): Promise<void> {
  if ((await stat(cwd).catch(() => undefined))?.isDirectory()) return;
  throw new DevflowError("not_found", {
    details: { what: `The folder ${cwd}`, next: "See the run's worktree: devflow doctor" },
  });
}

function notStarted(error: Error & { code?: string }, program: string): Error {
  if (error.code !== "ENOENT") return error;
  const next = "Install it, or name another one in .devflow.json.";
  return new DevflowError("not_found", { details: { what: `The program ${program}`, next }, cause: error });
}
