/**
 * Starts a workspace's daemon in the background and waits until it can be found, or reports why it did not start.
 * Two clients at once start two processes; the daemon's lock lets one live, and both clients find that one.
 */
import { spawn } from "node:child_process";
import { mkdir, open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ensurePrivateFolder } from "@devflow/core/atomic-file";
import { systemClock } from "@devflow/core/clock";
import { inheritedEnvironment } from "@devflow/core/config";
import type { Environment } from "@devflow/core/environment";
import { DevflowError } from "@devflow/core/errors";
import { type DaemonState, findDaemon } from "./daemon-state.ts";
import type { Workspace } from "./workspace.ts";

export interface StartOptions {
  /** The command line that starts the daemon; the workspace is appended. */
  readonly argv: readonly string[];
  readonly env: Environment;
  /** Its working directory: not the workspace, whose files it must not load. */
  readonly cwd: string;
  readonly signal?: AbortSignal;
  /** A predecessor's memory, passed through a pipe, since cookies are never written to disk. */
  readonly handover?: string;
}

/** Exit code when another daemon holds the workspace; the client waits for that one. */
export const lockedExit = 75;
const startLimitMs = 60_000;

/**
 * A session of an agent is a few dozen commands, too few for the engine's usual patience. Measured: the CPU time of a fill falls to
 * 2.0 ms after 30 commands, not to 3.0 after 50, for 10 MB of memory.
 */
const compileEarly = { BUN_JSC_thresholdForJITAfterWarmUp: "20", BUN_JSC_thresholdForOptimizeAfterWarmUp: "200" };

export async function startDaemon(workspace: Workspace, options: StartOptions): Promise<DaemonState> {
  await prepareFolder(workspace);
  await mkdir(options.cwd, { recursive: true, mode: 0o700 });
  const errors = await open(workspace.startErrors, "w", 0o600);
  const [program = "", ...words] = [...options.argv, workspace.root];
  const child = spawn(program, words, {
    cwd: options.cwd,
    env: { ...(inheritedEnvironment(options.env) as NodeJS.ProcessEnv), ...compileEarly },
    detached: true,
    stdio: ["pipe", "ignore", errors.fd],
  });
  await errors.close();
  let exitCode: number | undefined;
  child.on("exit", (code) => {
    exitCode = code ?? 1;
  });
  child.on("error", () => {
    exitCode = 1;
  });
  child.stdin?.on("error", () => {});
  child.stdin?.end(options.handover ?? "");

  const deadline = Date.now() + startLimitMs;
  for (;;) {
    const found = findDaemon(workspace);
    if (found) {
      child.unref();
      return found;
    }
    if (exitCode !== undefined && exitCode !== lockedExit) {
      const output = (await readFile(workspace.startErrors, "utf8")).trim();
      throw startFailed(workspace, output || `it ended with code ${exitCode}`);
    }
    if (Date.now() > deadline) throw startFailed(workspace, `it did not answer within ${startLimitMs / 1000} s`);
    await systemClock.sleep(5, options.signal);
  }
}

/** Everything but what a repository shares with its runs. */
const ignored = `*\n${["templates", "personas", "schemas"].map((name) => `!/${name}/\n!/${name}/**\n`).join("")}`;

/** The folder has its own .gitignore, so that no state gets into a commit. */
export async function prepareFolder(workspace: Workspace): Promise<void> {
  await ensurePrivateFolder(workspace.folder);
  await ensurePrivateFolder(workspace.browseFolder);
  await writeFile(join(workspace.folder, ".gitignore"), ignored, { flag: "wx" }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    },
  );
}

function startFailed(workspace: Workspace, reason: string): DevflowError {
  return new DevflowError("browse_start_failed", { details: { reason, log: workspace.startErrors } });
}
