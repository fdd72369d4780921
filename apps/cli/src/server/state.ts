/**
 * The running server of a home, from its state file and verified with the system.
 *
 * - `findServer(home)` the running server, or undefined; never trusts a pid alone.
 * - `locateServer(home)` the same, and if the file was lost, the process that holds the home's lock: a running server
 *   writes its file again.
 * - `keepState(home, state, log)`, `removeState` for the server itself.
 */

import { rm } from "node:fs/promises";
import { readPrivateFile, writeFileAtomic } from "@devflow/core/atomic-file";
import { systemClock } from "@devflow/core/clock";
import { DevflowError } from "@devflow/core/errors";
import type { Home } from "@devflow/core/home";
import { lockHolder } from "@devflow/core/lock-holder";
import type { Log } from "@devflow/core/log";
import { isSameProcess, type ProcessProof, processIdentity } from "@devflow/core/process-proof";
import { ServerState } from "@devflow/protocol";

export async function findServer(home: Home): Promise<ServerState | undefined> {
  const text = await readPrivateFile(home.serverFile).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOTDIR") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const parsed = ServerState.safeParse(parseJson(text));
  return parsed.success && isSameProcess(parsed.data) ? parsed.data : undefined;
}

export type Located =
  | { readonly is: "running"; readonly state: ServerState }
  /** Starting, stopping, or unable to write its file. */
  | { readonly is: "silent"; readonly process: ProcessProof }
  | { readonly is: "none" };

/** A server looks for its file every second. */
const lookEveryMs = 1_000;
const patienceMs = 2_500;

export async function locateServer(home: Home): Promise<Located> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const state = await findServer(home);
    if (state) return { is: "running", state };
    const pid = holderIn(home);
    const identity = pid === undefined ? undefined : processIdentity(pid);
    if (pid === undefined || identity === undefined) return { is: "none" };
    if (Date.now() > deadline) return { is: "silent", process: { pid, identity } };
    await systemClock.sleep(20);
  }
}

function holderIn(home: Home): number | undefined {
  try {
    return lockHolder(home.serverLock);
  } catch (error) {
    if ((error as { code?: string }).code !== "ENOTDIR") throw error;
    const reason = "it is a link or a file, not a folder";
    throw new DevflowError("home_unusable", { details: { path: home.root, reason }, cause: error });
  }
}

/** The running server, or undefined; a silent one is an error. */
export async function reachServer(home: Home): Promise<ServerState | undefined> {
  const located = await locateServer(home);
  if (located.is === "silent") {
    throw new DevflowError("server_silent", { details: { pid: located.process.pid, home: home.root } });
  }
  return located.is === "running" ? located.state : undefined;
}

/** Writes the file, and again whenever it is lost or unreadable, until the returned function is called. */
export async function keepState(home: Home, state: ServerState, log: Log): Promise<() => Promise<void>> {
  const write = () => writeFileAtomic(home.serverFile, `${JSON.stringify(state)}\n`);
  await write();
  let checking = Promise.resolve();
  const check = async () => {
    const text = await readPrivateFile(home.serverFile).catch(() => undefined);
    if (text !== undefined && ServerState.safeParse(parseJson(text)).success) return;
    await write();
    log.warn({ file: home.serverFile }, "the state file was lost and is written again");
  };
  const timer = setInterval(() => {
    checking = checking.then(check).catch((error: unknown) => log.error({ err: error }, "no state file"));
  }, lookEveryMs);
  return async () => {
    clearInterval(timer);
    await checking;
  };
}

export async function removeState(home: Home): Promise<void> {
  await rm(home.serverFile, { force: true });
}

export const urlOf = ({ host, port }: { host: string; port: number }): string =>
  `http://${host.includes(":") ? `[${host}]` : host}:${port}`;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
