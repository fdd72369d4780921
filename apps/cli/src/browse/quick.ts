/**
 * The fast path of `devflow browse …` while the daemon runs: sends it the words as they were typed and prints the reply.
 * It loads nothing else; what a failure needs is loaded when there is one.
 *
 * - `quickBrowse(words)` the exit code; undefined when the full command line must handle it.
 */
import {
  type CommandReply,
  callRunning,
  defaultSession,
  findDaemon,
  findWorkspace,
  isNewerBuild,
} from "@devflow/browse/quick-client";
import { processEnvironment } from "@devflow/core/environment";
import { bunTransport } from "./bun-transport.ts";
import { thisBuild } from "./this-build.ts";

export async function quickBrowse(words: readonly string[]): Promise<number | undefined> {
  if (words.length === 0 || words.some((word) => word === "--help" || word === "-h" || word === "-")) return undefined;
  const cwd = process.cwd();
  const workspace = findWorkspace(cwd);
  const state = findDaemon(workspace);
  if (!state || (await isNewerBuild(thisBuild(), state))) return undefined;
  const env = processEnvironment();
  const session = defaultSession(env);
  const json = words.includes("--json");
  const debug = words.includes("--debug") || env.DEVFLOW_DEBUG === "1";
  const request = { words, json, debug, cwd, pid: process.pid, ...(session === undefined ? {} : { session }) };
  const reply = await callRunning(
    request,
    { workspace, transport: bunTransport, token: env.DEVFLOW_BROWSE_TOKEN },
    state,
    // A daemon that dies midway is reported like every other failure.
  ).catch(async (error: unknown): Promise<CommandReply> => {
    const { errorReport } = await import("@devflow/core/errors");
    return { ok: false, error: errorReport(error) };
  });
  return reply && (await print(reply, json));
}

async function print(reply: CommandReply, json: boolean): Promise<number> {
  for (const note of reply.notes ?? []) console.error(note);
  if (reply.ok) {
    write(reply.out);
    return reply.exit ?? 0;
  }
  const { failureBody, failureText } = await import("../failure-text.ts");
  if (json) write(JSON.stringify(failureBody(reply.error)));
  else console.error(failureText(reply.error));
  if (reply.trace) console.error(reply.trace);
  return reply.error.exit;
}

/** console.log is native and adds a newline; process.stdout would load Node's streams. */
function write(text: string): void {
  if (text !== "") console.log(text.endsWith("\n") ? text.slice(0, -1) : text);
}
