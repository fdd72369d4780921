/**
 * The running server of a home, from its state file and verified with the system.
 *
 * - `findServer(home)` the running server, or undefined; never trusts a pid alone.
 * - `writeState`, `removeState` for the server itself.
 */

import { rm } from "node:fs/promises";
import { readPrivateFile, writeFileAtomic } from "@devflow/core/atomic-file";
import type { Home } from "@devflow/core/home";
import { isSameProcess } from "@devflow/core/process-proof";
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

export async function writeState(home: Home, state: ServerState): Promise<void> {
  await writeFileAtomic(home.serverFile, `${JSON.stringify(state)}\n`);
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
