/**
 * The fast path of `devflow browse …` while the daemon runs: sends it the words as they were typed and prints the reply.
 * It loads nothing else, not even node:fs; what a failure needs is loaded when there is one.
 *
 * - `quickBrowse(words)` the exit code; undefined when the full command line must handle it.
 */
import { defaultSession, type QuickRequest, replyOf, socketPaths } from "@devflow/browse/quick-client";
import { processEnvironment } from "@devflow/core/environment";
import type { ErrorReport } from "@devflow/core/error-report";
import { version } from "@devflow/core/version";
import { askSocket } from "./ask-socket.ts";
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
  for (const path of socketPaths(env, cwd)) {
    const answer = await askSocket(path, line);
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
  write(reply.out);
  return reply.exit ?? 0;
}

async function lost(): Promise<ErrorReport> {
  const { DevflowError, errorReport } = await import("@devflow/core/errors");
  const details = { command: "the command", reason: "the daemon ended" };
  return errorReport(new DevflowError("browse_lost", { details }));
}

async function fail(error: ErrorReport, json: boolean, trace?: string): Promise<number> {
  const { failureBody, failureText } = await import("../failure-text.ts");
  if (json) write(JSON.stringify(failureBody(error)));
  else console.error(failureText(error));
  if (trace) console.error(trace);
  return error.exit;
}

/** console.log is native and adds a newline; process.stdout would load Node's streams. */
function write(text: string): void {
  if (text !== "") console.log(text.endsWith("\n") ? text.slice(0, -1) : text);
}
