/**
 * The drainer of this home.
 *
 * - `drainPorts(home, options)` what `@devflow/team/drain` needs of this process.
 * - `wakeDrainer(home, env, to)` starts a drainer in the background and does not wait for it. One that runs already takes over what is
 *   new. For a local server that is not running it starts none: the server does when it is up.
 */
import { spawn } from "node:child_process";
import { systemClock } from "@devflow/core/clock";
import type { Environment } from "@devflow/core/config";
import type { Home } from "@devflow/core/home";
import { wipeTeam } from "@devflow/team/cache";
import type { DrainPorts } from "@devflow/team/drain";
import { type Destination, spoolFolder } from "@devflow/team/spool";
import { selfArgv } from "../server/self.ts";
import { findServer } from "../server/state.ts";
import { tokenFor } from "./connection.ts";
import { localServer } from "./place.ts";
import { writeSyncLog } from "./sync-log.ts";

export function drainPorts(home: Home, env: Environment, signal: AbortSignal): DrainPorts {
  return {
    folder: spoolFolder(home.root),
    tokenFor: tokenFor(home, env),
    now: Date.now,
    random: Math.random,
    sleep: systemClock.sleep,
    signal,
    onEvicted: (to) => wipeTeam(home.root, to),
    onPush: ({ to, records, kinds, result, ms }) =>
      void writeSyncLog(home, `PUSH ${to.server} ${records} ${kinds.join(",")} ${result} ${(ms / 1000).toFixed(1)}s`),
  };
}

export async function wakeDrainer(home: Home, env: Environment, to?: Destination): Promise<void> {
  if (to?.server === localServer && !(await findServer(home))) return;
  const [program = "", ...words] = [...selfArgv(), "drainer"];
  const child = spawn(program, words, {
    cwd: home.root,
    env: { ...env, DEVFLOW_HOME: home.root },
    detached: true,
    stdio: "ignore",
  });
  // Without a drainer the records stay, and the next one finds them.
  child.on("error", () => {});
  child.unref();
}
