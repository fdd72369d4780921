/**
 * What an agent does right now, as one file that is overwritten: `~/.devflow/presence/<agent>.json`, 0600. Never spooled: only the latest
 * counts, and after five minutes nothing does. Imports only `core`, because hooks write it.
 *
 * - `writePresence(home, presence)`; `leavePresence(home, agentId)` it stopped, and its team does not know yet; `clearPresence(home, agentId)`.
 * - `readPresences(home, nowMs)` those of this machine that are at work and not older than five minutes, newest first.
 * - `readLeft(home)` those that stopped and whose team was not told.
 */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ensurePrivateFolder, writeFileAtomic } from "@devflow/core/atomic-file";
import { isUuid } from "@devflow/core/ids";
import { parseJson, readIfThere } from "@devflow/core/read-if-there";

const presenceStates = ["working", "waiting", "idle"] as const;
export type PresenceState = (typeof presenceStates)[number];

export interface Presence {
  readonly agent: {
    readonly id: string;
    readonly host: string;
    readonly session: string;
    readonly machine: string;
    readonly handle?: string | undefined;
    readonly model?: string | undefined;
  };
  readonly server: string;
  readonly team: string;
  readonly user: string;
  /** The canonical remote. */
  readonly repo: string | null;
  /** The worktree. It stays on this machine. */
  readonly folder?: string;
  readonly intent: string | null;
  readonly branch: string | null;
  /** The files it works on, newest first, at most 20. */
  readonly files: readonly string[];
  readonly state: PresenceState;
  readonly at: string;
}

type Kept = Omit<Presence, "state"> & { readonly state: PresenceState | "left" };

const presenceTtlMs = 5 * 60_000;

export const presenceFolder = (home: string): string => join(home, "presence");

export async function writePresence(home: string, presence: Presence): Promise<void> {
  await write(home, presence);
}

/** Nothing to tell when it was never there. */
export async function leavePresence(home: string, agentId: string): Promise<void> {
  const found = await readPresence(home, agentId);
  if (found) await write(home, { ...found, state: "left" });
}

export async function clearPresence(home: string, agentId: string): Promise<void> {
  await rm(fileOf(home, agentId), { force: true });
}

export async function readPresences(home: string, nowMs: number): Promise<Presence[]> {
  const found = (await readAll(home)).filter((one): one is Presence => one.state !== "left" && isFresh(one, nowMs));
  return found.sort((a, b) => (a.at < b.at ? 1 : -1));
}

export async function readLeft(home: string): Promise<Omit<Presence, "state">[]> {
  return (await readAll(home)).filter(({ state }) => state === "left");
}

/** Of one agent, however old; undefined when there is none. */
export async function readPresence(home: string, agentId: string): Promise<Presence | undefined> {
  const found = await readFile(home, agentId);
  return found?.state === "left" ? undefined : (found as Presence | undefined);
}

async function readAll(home: string): Promise<Kept[]> {
  const names = await readdir(presenceFolder(home)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const found: Kept[] = [];
  for (const name of names) {
    const id = /^(.+)\.json$/.exec(name)?.[1];
    const presence = id !== undefined && isUuid(id) ? await readFile(home, id) : undefined;
    if (presence) found.push(presence);
  }
  return found;
}

async function readFile(home: string, agentId: string): Promise<Kept | undefined> {
  const found = parseJson((await readIfThere(fileOf(home, agentId))) ?? "") as Kept | undefined;
  return found?.agent?.id === agentId ? found : undefined;
}

async function write(home: string, presence: Kept): Promise<void> {
  await ensurePrivateFolder(presenceFolder(home));
  await writeFileAtomic(fileOf(home, presence.agent.id), `${JSON.stringify(presence)}\n`);
}

function isFresh({ at }: Kept, nowMs: number): boolean {
  const ms = Date.parse(at);
  return Number.isFinite(ms) && nowMs - ms <= presenceTtlMs;
}

const fileOf = (home: string, agentId: string): string => join(presenceFolder(home), `${agentId}.json`);
