/**
 * The fast path of `devflow browse …` while the daemon runs: sends it the words as they were typed and prints the reply.
 * It loads nothing else, not even node:fs; what a failure needs is loaded when there is one.
 *
 * - `quickBrowse(words)` the exit code; undefined when the full command line must handle it.
 */
import {
  defaultSession,
  patienceMs,
  type QuickRequest,
  replyOf,
  socketPaths,
  takenMs,
} from "@devflow/browse/quick-client";
import { processEnvironment } from "@devflow/core/environment";
import type { ErrorReport } from "@devflow/core/error-report";
import { version } from "@devflow/core/version";
import { askSocket, late } from "./ask-socket.ts";
import { thisExecutable } from "./this-executable.ts";

export async function quickBrowse(words: readonly string[]): Promise<number | undefined> {
  if (words.length === 0 || words.some((word) => word === "--help" || word === "-h" || word === "-")) return undefined;
  const cwd = process.cwd();
  const env = processEnvironment();
  const session = defaultSession(env);
  const token = env.DEVFLOW_BROWSE_TOKEN;
  const json = words.includes("--json");
  const request: QuickRequest = {
    words,
    json,
    debug: words.includes("--debug") || env.DEVFLOW_DEBUG === "1",
    cwd,
    pid: process.pid,
    build: { version, executable: thisExecutable() },
    ...(session === undefined ? {} : { session }),
    ...(token === undefined ? {} : { token }),
  };
  const line = `${JSON.stringify(request)}\n`;
  const patience = () => ({ ms: patienceMs(words), takenMs });
  for (const path of socketPaths(env, cwd)) {
    const answer = await askSocket(path, line, patience);
    if (answer === late) {
      // The full command line ends such a daemon by force.
      const isStop = words.find((word) => !word.startsWith("-")) === "stop";
      return isStop ? undefined : await fail(await stuck(cwd, patience().ms), json);
    }
    if (answer !== undefined) return await follow(answer, json);
  }
  return undefined;
}

/** An empty answer: the whole request was sent, so the command may have run; only the caller can decide whether to repeat it. */
async function follow(answer: string, json: boolean): Promise<number | undefined> {
  const reply = answer === "" ? undefined : replyOf(JSON.parse(answer));
  if (!reply) return await fail(await lost(), json);
  if (reply.ok === false && reply.retry === true) return undefined;
  for (const note of reply.notes ?? []) console.error(note);
  if (!reply.ok) return await fail(reply.error, json, reply.trace);
  return (await write(reply.out)) ?? reply.exit ?? 0;
}

async function stuck(cwd: string, waitedMs: number): Promise<ErrorReport> {
  const { findWorkspace, stuckError } = await import("@devflow/browse/client");
  const { errorReport } = await import("@devflow/core/errors");
  return errorReport(stuckError(findWorkspace(cwd), waitedMs));
}

async function lost(): Promise<ErrorReport> {
  const { DevflowError, errorReport } = await import("@devflow/core/errors");
  const details = { command: "the command", reason: "the daemon ended" };
  return errorReport(new DevflowError("browse_lost", { details }));
}

async function fail(error: ErrorReport, json: boolean, trace?: string): Promise<number> {
  const { failureBody, failureText } = await import("../failure-text.ts");
  if (json) await write(`${JSON.stringify(failureBody(error))}\n`);
  else console.error(failureText(error));
  if (trace) console.error(trace);
  return error.exit;
}

/** Native, where process.stdout would load Node's streams. An exit code when it could not be written. */
async function write(text: string): Promise<number | undefined> {
  if (text === "") return undefined;
  try {
    await Bun.write(Bun.stdout, text);
    return undefined;
  } catch (error) {
    // A reader that closes early (`devflow browse text | head`) is not an error.
    if ((error as { code?: string }).code === "EPIPE") return 0;
    const { errorReport } = await import("@devflow/core/errors");
    return await fail(errorReport(Object.assign(error as Error, { path: "the output" })), false);
  }
}
