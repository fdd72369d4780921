/** Starts the server in the background and waits until it answers, or reports why it did not. */
import { spawn } from "node:child_process";
import { mkdir, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@devflow/core/clock";
import type { Config, Environment } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import { type Home, homeAt } from "@devflow/core/home";
import { lockHolder } from "@devflow/core/lock-holder";
import { ensurePrivateHome } from "@devflow/core/private-home";
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

/** A first start unpacks and initializes Postgres; on a slow disk that takes a while. */
const startLimitMs = 120_000;

/** Any start but the first; in this time it is checked often, because every late check adds waiting time. */
const usualStartMs = 1_000;

/** Exit code of a daemon that found the home taken: by one that is starting too, or by one that is stopping. */
const homeIsTaken = 75;
const pauseBeforeAnotherMs = 200;

export async function startDetached(config: Config, options: DetachedOptions): Promise<ServerState> {
  const home = homeAt(config.home);
  await ensurePrivateHome(home);
  await mkdir(home.logFolder, { recursive: true, mode: 0o700 });
  const soon = Date.now() + usualStartMs;
  const deadline = Date.now() + startLimitMs;
  let starter = await startDaemon(home, options);
  for (;;) {
    const found = await findServer(home);
    if (found && (await answers(found))) {
      // Ours came second. Otherwise it would take the home later, when nobody expects a server.
      if (found.pid !== starter.child.pid) await starter.end();
      starter.child.unref();
      return found;
    }
    const code = starter.exitCode();
    if (code === homeIsTaken) {
      await systemClock.sleep(pauseBeforeAnotherMs, options.signal);
      if (!(await findServer(home))) starter = await startDaemon(home, options);
    } else if (code !== undefined) {
      const said = (await readFile(starter.errorFile, "utf8")).trim();
      throw new DevflowError("server_start_failed", { details: { reason: said || `it exited with code ${code}` } });
    }
    if (Date.now() > deadline) {
      const pid = lockHolder(home.serverLock);
      if (pid !== undefined && pid !== starter.child.pid) {
        throw new DevflowError("server_silent", { details: { pid, home: home.root } });
      }
      throw new DevflowError("server_start_failed", {
        details: { reason: `it did not answer within ${startLimitMs / 1000} s` },
      });
    }
    await systemClock.sleep(Date.now() < soon ? 4 : 20, options.signal);
  }
}

async function startDaemon(home: Home, { env, flags }: DetachedOptions) {
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
  const ended = new Promise<void>((resolve) => {
    const end = (code: number | null) => {
      exitCode = code ?? 1;
      resolve();
    };
    child.on("exit", end);
    child.on("error", () => end(1));
  });
  return {
    child,
    errorFile,
    exitCode: () => exitCode,
    async end() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

async function answers(state: ServerState): Promise<boolean> {
  return await callServer(state, "/health", Health, { timeoutMs: 2_000 }).then(
    () => true,
    () => false,
  );
}
