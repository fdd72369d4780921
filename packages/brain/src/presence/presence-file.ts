/**
 * What an agent does right now, as one file that is overwritten: `~/.devflow/presence/<agent>.json`, 0600. Never spooled: only the latest
 * counts, and after five minutes nothing does. Imports only `core`, because hooks write it.
 *
 * - `writePresence(home, presence)`, `clearPresence(home, agentId)`.
 * - `readPresences(home, nowMs)` those of this machine that are not older than five minutes, newest first.
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
  readonly intent: string | null;
  readonly branch: string | null;
  /** The files it works on, newest first, at most 20. */
  readonly files: readonly string[];
  readonly state: PresenceState;
  readonly at: string;
}

const presenceTtlMs = 5 * 60_000;

const presenceFolder = (home: string): string => join(home, "presence");

export async function writePresence(home: string, presence: Presence): Promise<void> {
  const folder = presenceFolder(home);
  await ensurePrivateFolder(folder);
  await writeFileAtomic(fileOf(home, presence.agent.id), `${JSON.stringify(presence)}\n`);
}

export async function clearPresence(home: string, agentId: string): Promise<void> {
  await rm(fileOf(home, agentId), { force: true });
}

export async function readPresences(home: string, nowMs: number): Promise<Presence[]> {
  const names = await readdir(presenceFolder(home)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const found: Presence[] = [];
  for (const name of names) {
    const id = /^(.+)\.json$/.exec(name)?.[1];
    if (id === undefined || !isUuid(id)) continue;
    const presence = parseJson((await readIfThere(fileOf(home, id))) ?? "") as Presence | undefined;
    if (presence?.agent?.id !== id || !isFresh(presence, nowMs)) continue;
    found.push(presence);
  }
  return found.sort((a, b) => (a.at < b.at ? 1 : -1));
}

function isFresh({ at }: Presence, nowMs: number): boolean {
  const ms = Date.parse(at);
  return Number.isFinite(ms) && nowMs - ms <= presenceTtlMs;
}

const fileOf = (home: string, agentId: string): string => join(presenceFolder(home), `${agentId}.json`);

/** Of one agent, however old; undefined when there is none. */
export async function readPresence(home: string, agentId: string): Promise<Presence | undefined> {
  const found = parseJson((await readIfThere(fileOf(home, agentId))) ?? "") as Presence | undefined;
  return found?.agent?.id === agentId ? found : undefined;
}
