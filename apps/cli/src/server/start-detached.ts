/** Starts the server in the background and waits until it answers, or says why it did not. */
import { spawn } from "node:child_process";
import { mkdir, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { ensurePrivateFolder } from "@devflow/core/atomic-file";
import { systemClock } from "@devflow/core/clock";
import type { Config, Environment } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import { homeAt } from "@devflow/core/home";
import { Health, type ServerState } from "@devflow/protocol";
import { callServer } from "./client.ts";
import { selfArgv } from "./self.ts";
import { findServer } from "./state.ts";

interface DetachedOptions {
  readonly env: Environment;
  /** Words after `devflow daemon`. */
  readonly flags: readonly string[];
  readonly signal: AbortSignal;
}

/** A first start unpacks and initialises Postgres; on a slow disk that takes a while. */
const startLimitMs = 120_000;

export async function startDetached(config: Config, { env, flags, signal }: DetachedOptions): Promise<ServerState> {
  const home = homeAt(config.home);
  await ensurePrivateFolder(home.root);
  await mkdir(home.logFolder, { recursive: true, mode: 0o700 });
  const errorFile = join(home.logFolder, "start.err");
  const errors = await open(errorFile, "w", 0o600);
  const [program = "", ...words] = [...selfArgv(), "daemon", ...flags];
  const child = spawn(program, words, {
    cwd: home.root,
    env: { ...env, DEVFLOW_HOME: home.root },
    detached: true,
    stdio: ["ignore", "ignore", errors.fd],
  });
  await errors.close();
  let exitCode: number | undefined;
  child.on("exit", (code) => {
    exitCode = code ?? 1;
  });
  child.on("error", () => {
    exitCode = 1;
  });

  const deadline = Date.now() + startLimitMs;
  for (;;) {
    const found = await findServer(home);
    if (found && (await answers(found))) {
      child.unref();
      return found;
    }
    // 75: another starter holds the home; its server is the one to wait for.
    if (exitCode !== undefined && exitCode !== 75) {
      const said = (await readFile(errorFile, "utf8")).trim();
      throw new DevflowError("server_start_failed", { details: { reason: said || `it ended with code ${exitCode}` } });
    }
    if (Date.now() > deadline) {
      throw new DevflowError("server_start_failed", {
        details: { reason: `it did not answer within ${startLimitMs / 1000} s` },
      });
    }
    await systemClock.sleep(20, signal);
  }
}

async function answers(state: ServerState): Promise<boolean> {
  return await callServer(state, "/health", Health, { timeoutMs: 2_000 }).then(
    () => true,
    () => false,
  );
}
