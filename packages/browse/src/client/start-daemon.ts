/**
 * Starts a workspace's daemon in the background and waits until it can be found, or reports why it did not start.
 * Two clients at once start two processes; the daemon's lock lets one live, and both clients find that one.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { ensurePrivateFolder, writeFileAtomic } from "@devflow/core/atomic-file";
import { systemClock } from "@devflow/core/clock";
import { inheritedEnvironment } from "@devflow/core/config";
import type { Environment } from "@devflow/core/environment";
import { DevflowError, errorRegistry } from "@devflow/core/errors";
import { type DaemonState, findDaemon } from "./daemon-state.ts";
import type { Workspace } from "./workspace.ts";

export interface StartOptions {
  /** The command line that starts the daemon; the workspace is appended. */
  readonly argv: readonly string[];
  readonly env: Environment;
  /** Its working directory: not the workspace, whose files it must not load. */
  readonly cwd: string;
  readonly signal?: AbortSignal;
  /** How long the command that needs it may take; it goes on starting after that. */
  readonly patienceMs?: number;
  /** A predecessor's memory, passed through a pipe, since cookies are never written to disk. */
  readonly handover?: { readonly body: string; readonly from: DaemonState };
}

/** Exit code when another daemon holds the workspace; the client waits for that one. */
export const lockedExit = 75;
const startLimitMs = 60_000;
/** A command's deadline may be shorter than any start. */
const shortestPatienceMs = 10_000;

/**
 * A session of an agent is a few dozen commands, too few for the engine's usual patience. Measured: the CPU time of a fill falls to
 * 2.0 ms after 30 commands, not to 3.0 after 50, for 10 MB of memory.
 */
const compileEarly = { BUN_JSC_thresholdForJITAfterWarmUp: "20", BUN_JSC_thresholdForOptimizeAfterWarmUp: "200" };

export async function startDaemon(workspace: Workspace, options: StartOptions): Promise<DaemonState> {
  await mkdir(options.cwd, { recursive: true, mode: 0o700 });
  const errors = await prepareFolder(workspace)
    .then(() => open(workspace.startErrors, "w", 0o600))
    .catch((error: unknown) => {
      throw unwritable(workspace, error);
    });
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
  child.stdin?.end(options.handover?.body ?? "");

  const patienceMs = Math.max(options.patienceMs ?? startLimitMs, shortestPatienceMs);
  const limitMs = Math.min(startLimitMs, patienceMs);
  const deadline = Date.now() + limitMs;
  for (;;) {
    const found = findDaemon(workspace);
    // The predecessor can be found until it has ended.
    if (found && found.token !== options.handover?.from.token) {
      child.unref();
      return found;
    }
    if (exitCode !== undefined && exitCode !== lockedExit) {
      const output = (await readFile(workspace.startErrors, "utf8")).trim();
      // On a full disk its words are lost too.
      if (exitCode === errorRegistry.disk_full.exit) throw diskFull(workspace);
      throw startFailed(workspace, output || `it ended with code ${exitCode}`);
    }
    if (Date.now() > deadline) {
      const isSlow = limitMs < startLimitMs;
      if (!isSlow) child.kill("SIGKILL");
      const reason = `it did not answer within ${limitMs / 1000} s`;
      throw startFailed(workspace, isSlow ? `${reason}, and is still starting; repeat the command` : reason);
    }
    await systemClock.sleep(5, options.signal);
  }
}

/** Everything but what a repository shares with its runs. */
const ignored = `*\n${["templates", "personas", "schemas"].map((name) => `!/${name}/\n!/${name}/**\n`).join("")}`;

/** The folder has its own .gitignore, so that no state gets into a commit. */
export async function prepareFolder(workspace: Workspace): Promise<void> {
  await ensurePrivateFolder(workspace.folder);
  await ensurePrivateFolder(workspace.browseFolder);
  const file = join(workspace.folder, ".gitignore");
  // Whole or not at all: an empty one, from a full disk, would let state into a commit.
  if (!existsSync(file)) await writeFileAtomic(file, ignored, 0o644);
}

/** The workspace's folder is meant, whatever file it was. */
function unwritable(workspace: Workspace, cause: unknown): unknown {
  const { code, message = "" } = cause as NodeJS.ErrnoException;
  if (code === "ENOSPC" || code === "EDQUOT") return diskFull(workspace, cause);
  const reason = code === "EROFS" ? "it is read-only" : "permission denied";
  if (code !== "EROFS" && code !== "EACCES" && code !== "EPERM") return cause;
  const path = message.includes(workspace.folder) ? workspace.folder : workspace.root;
  return new DevflowError("browse_folder_unwritable", { details: { path, reason }, cause });
}

const diskFull = (workspace: Workspace, cause?: unknown): DevflowError =>
  new DevflowError("disk_full", { details: { path: workspace.folder }, cause });

function startFailed(workspace: Workspace, reason: string): DevflowError {
  return new DevflowError("browse_start_failed", { details: { reason, log: workspace.startErrors } });
}
