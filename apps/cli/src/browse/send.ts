/** Sends a parsed command to the workspace's daemon, and starts the daemon first when it is not running. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type CommandReply,
  callDaemon,
  callRunning,
  defaultSession,
  endByForce,
  findWorkspace,
  patienceMs,
  type StartOptions,
  type Workspace,
} from "@devflow/browse/client";
import { browseCommands, browseHelp } from "@devflow/browse/commands";
import type { CommandContext, CommandHandler } from "@devflow/core/command";
import { type Environment, environmentOf, homeOf } from "@devflow/core/config";
import { DevflowError, type ErrorReport } from "@devflow/core/errors";
import { hashBytes } from "@devflow/core/hash";
import { selfArgv } from "../server/self.ts";
import { bunTransport } from "./bun-transport.ts";
import { thisBuild } from "./this-build.ts";

/** They are about a running browser, so they never start one. */
const neverStart = new Set(["status", "stop", "tabs"]);

export function sender(name: string): CommandHandler<Record<string, unknown>> {
  return async (input, context) => {
    if (name === "help") return explain(input, context);
    const reply = await call(name, await withStdin(name, input, context), context);
    for (const note of reply.notes ?? []) context.output.note(note);
    if (!reply.ok) throw asError(reply.error, reply.trace);
    context.output.result(context.output.json ? JSON.parse(reply.out) : undefined, reply.out);
    return reply.exit;
  };
}

/** Help needs no browser. */
function explain({ command }: { command?: string[] }, { output }: CommandContext): void {
  const { text, data } = browseHelp(browseCommands, (command ?? []).join(" "));
  output.result(data, text);
}

/** Commands where a lone dash means standard input. */
const readsStdin = new Set(["chain", "batch", "js"]);

async function withStdin(name: string, input: Record<string, unknown>, { readStdin }: CommandContext) {
  const isDash = (value: unknown) => value === "-" || (Array.isArray(value) && value.length === 1 && value[0] === "-");
  const key = readsStdin.has(name) ? Object.keys(input).find((one) => isDash(input[one])) : undefined;
  if (key === undefined) return input;
  const text = await readStdin();
  return { ...input, [key]: Array.isArray(input[key]) ? [text] : text };
}

async function call(
  name: string,
  input: Readonly<Record<string, unknown>>,
  { cwd, env, output, signal }: CommandContext,
): Promise<CommandReply> {
  const { DEVFLOW_BROWSE_TOKEN: token, DEVFLOW_DEBUG } = environmentOf(env);
  const workspace = findWorkspace(cwd);
  const session = defaultSession(env);
  const request = {
    command: { name, input },
    json: output.json,
    debug: DEVFLOW_DEBUG === "1",
    cwd,
    pid: process.pid,
    ...(session === undefined ? {} : { session }),
  };
  const chosen = typeof input.timeout === "number" ? input.timeout : undefined;
  const options = {
    workspace,
    transport: bunTransport,
    token,
    signal,
    patienceMs: patienceMs(name.split(" "), chosen),
  };
  if (neverStart.has(name)) {
    const reply = await callRunning(request, options).catch((error: DevflowError) => {
      const mayEnd = name === "stop" && token === undefined && error.code === "browse_no_answer";
      if (mayEnd) return stopByForce(workspace, output.json);
      throw error;
    });
    if (reply) return reply;
    throw new DevflowError("browse_not_running", { details: { workspace: workspace.root } });
  }
  return await callDaemon(request, {
    ...options,
    build: thisBuild(),
    start: startOptions(workspace.root, env, signal),
  });
}

async function stopByForce(workspace: Workspace, json: boolean): Promise<CommandReply | undefined> {
  const pid = await endByForce(workspace);
  if (pid === undefined) return undefined;
  const text = `The browser (pid ${pid}) did not answer and was ended by force. The next command opens its tabs again.`;
  return { ok: true, out: `${json ? JSON.stringify({ stopped: true, byForce: true }) : text}\n` };
}

function startOptions(workspace: string, env: Environment, signal: AbortSignal): StartOptions {
  const home = homeOf(env);
  const temp = [...new Set([tmpdir(), "/tmp"])].flatMap((folder) => ["--temp", folder]);
  const own = join(home, "tmp", hashBytes(workspace).slice(0, 8));
  // Chromium creates a socket there, and its path may have at most 107 characters.
  const isShort = own.length <= 60;
  return {
    argv: [...selfArgv(), "browse-daemon", ...temp, ...(isShort ? ["--own-temp", own] : [])],
    env: { ...env, DEVFLOW_HOME: home, ...(isShort ? { TMPDIR: own } : {}) },
    cwd: home,
    signal,
  };
}

function asError(report: ErrorReport, trace: string | undefined): DevflowError {
  const cause = trace === undefined ? undefined : Object.assign(new Error("in the daemon"), { stack: trace });
  return new DevflowError(report, { cause });
}
