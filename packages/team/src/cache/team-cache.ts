/**
 * The team cache of one repository: `~/.devflow/teams/<server>/<team>/<repo>/`, one JSON file per kind, newest record first, and
 * `.meta.json`. Skills and commands read it without a network.
 *
 * - `cacheFolder(home, of)` its path.
 * - `readMeta(folder)`, `readRows(folder, kind)` what is there; a file that cannot be read counts as absent.
 * - `applyRows(folder, changes)` adds what a pull brought; `replaceRows(folder, snapshot)` puts a snapshot in place of everything.
 * - `wipeTeam(home, of)` when the person is no longer in the team.
 *
 * The cursor is written last. A process that is killed before has written rows that the next pull brings again, so nothing is missed.
 */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ensurePrivateFolder, writeFileAtomic } from "@devflow/core/atomic-file";
import { faultPoint } from "@devflow/core/fault-point";
import { parseJson, readIfThere } from "@devflow/core/read-if-there";
import { type PulledRow, RecordRow } from "@devflow/protocol";
import { folderKey } from "@devflow/team/repository-name";
import { z } from "zod";

export interface CacheOf {
  readonly server: string;
  readonly team: string;
  /** The canonical remote; null is the team's records without a repository. */
  readonly repo: string | null;
}

export const CacheMeta = z.object({
  pulledAt: z.string(),
  /** Null: something was interrupted, and the next pull starts over. */
  cursor: z.string().nullable(),
  kinds: z.record(z.string(), z.object({ rows: z.number().int(), latest: z.string().nullable() })),
});
export type CacheMeta = z.infer<typeof CacheMeta>;

const metaFile = ".meta.json";

function teamFolder(home: string, { server, team }: Pick<CacheOf, "server" | "team">): string {
  return join(home, "teams", folderKey(server), folderKey(team));
}

export function cacheFolder(home: string, of: CacheOf): string {
  return join(teamFolder(home, of), of.repo === null ? "_" : folderKey(of.repo));
}

export async function readMeta(folder: string): Promise<CacheMeta | undefined> {
  return CacheMeta.safeParse(parseJson((await readIfThere(join(folder, metaFile))) ?? "")).data;
}

export async function readRows(folder: string, kind: string): Promise<readonly RecordRow[]> {
  const rows = parseJson((await readIfThere(fileOf(folder, kind))) ?? "[]");
  return Array.isArray(rows) ? rows.flatMap((row) => RecordRow.safeParse(row).data ?? []) : [];
}

export async function applyRows(
  folder: string,
  changes: readonly PulledRow[],
  meta: Omit<CacheMeta, "kinds">,
): Promise<void> {
  const before = await readMeta(folder);
  const kinds = { ...before?.kinds };
  for (const [kind, own] of Map.groupBy(changes, (change) => change.kind)) {
    const rows = new Map((await readRows(folder, kind)).map((row) => [row.id, row]));
    for (const { id, op, record } of own) {
      if (op === "delete" || record === null) rows.delete(id);
      else rows.set(id, record);
    }
    kinds[kind] = await writeRows(folder, kind, [...rows.values()]);
    faultPoint("pullAfterFile");
  }
  await writeMeta(folder, { ...meta, kinds });
}

/** Everything is at hand before the first file is replaced, and until the last one there is no cursor: what was deleted cannot stay. */
export async function replaceRows(
  folder: string,
  rows: readonly RecordRow[],
  meta: Omit<CacheMeta, "kinds">,
): Promise<void> {
  const before = await readMeta(folder);
  await writeMeta(folder, { pulledAt: before?.pulledAt ?? meta.pulledAt, cursor: null, kinds: before?.kinds ?? {} });
  const byKind = Map.groupBy(rows, ({ kind }) => kind);
  const kinds: CacheMeta["kinds"] = {};
  for (const [kind, own] of byKind) {
    kinds[kind] = await writeRows(folder, kind, own);
    faultPoint("pullAfterFile");
  }
  for (const name of await readdir(folder)) {
    const kind = /^([a-z][a-z_]*)\.json$/.exec(name)?.[1];
    if (kind !== undefined && !byKind.has(kind)) await rm(join(folder, name), { force: true });
  }
  await writeMeta(folder, { ...meta, kinds });
}

export async function wipeTeam(home: string, of: Pick<CacheOf, "server" | "team">): Promise<void> {
  await rm(teamFolder(home, of), { recursive: true, force: true });
}

async function writeRows(
  folder: string,
  kind: string,
  rows: readonly RecordRow[],
): Promise<CacheMeta["kinds"][string]> {
  const sorted = [...rows].sort((a, b) => compare(b.at, a.at) || compare(b.id, a.id));
  await ensurePrivateFolder(folder);
  await writeFileAtomic(fileOf(folder, kind), `${JSON.stringify(sorted)}\n`);
  return { rows: sorted.length, latest: sorted[0]?.at ?? null };
}

async function writeMeta(folder: string, meta: CacheMeta): Promise<void> {
  await ensurePrivateFolder(folder);
  faultPoint("pullBeforeMeta");
  await writeFileAtomic(join(folder, metaFile), `${JSON.stringify(meta)}\n`);
  faultPoint("pullAfterMeta");
}

const fileOf = (folder: string, kind: string): string => join(folder, `${kind}.json`);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
