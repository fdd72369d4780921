/**
 * Cached outputs of eval cases: `~/.devflow/eval-cache/<suite>/<key>.json`. Programs in any language use the cache through
 * `devflow eval cache`.
 *
 * - `openCache(home, options)` → `read`, `write`, `stats`, `verify`, `clear`, `why`.
 *
 * Entries are written atomically (temporary file and rename), so concurrent writers do not conflict. Damaged entries and
 * entries of another version are misses. With `EVAL_CACHE=0` every read is a miss and nothing is written.
 */
import { appendFile, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { ensurePrivateFolder, writeFileAtomic } from "@devflow/core/atomic-file";
import { DevflowError } from "@devflow/core/errors";
import { readIfThere } from "@devflow/core/read-if-there";
import { z } from "zod";
import { dollarsOf } from "./cache-dollars.ts";
import { type KeyParts, keyDifferences } from "./cache-key.ts";

const cacheVersion = 1;

const entrySchema = z.looseObject({
  _cache_version: z.literal(cacheVersion),
  _cached_at: z.iso.datetime(),
  _suite: z.string(),
  _case_name: z.string().nullable(),
  _key: z
    .looseObject({
      files: z.record(z.string(), z.string()),
      input: z.string(),
      fields: z.record(z.string(), z.string()),
      attempt: z.number(),
    })
    .nullish(),
  _cost_usd: z.number().nullish(),
  data: z.unknown(),
});
type Entry = z.output<typeof entrySchema>;

export interface CacheWrite {
  readonly caseName?: string | null;
  readonly parts?: KeyParts;
}

export interface SuiteStats {
  readonly suite: string;
  readonly entries: number;
  readonly bytes: number;
  readonly oldest: string | null;
  readonly newest: string | null;
  readonly hits: number;
  /** What the hits would have cost. */
  readonly savedUsd: number;
  /** Hits of entries whose cost is unknown. */
  readonly unpricedHits: number;
}

export interface CacheFault {
  readonly path: string;
  readonly problem: string;
}

export interface WhyAnswer {
  readonly isHit: boolean;
  /** What changed since the nearest entry of that case; null if there is none. */
  readonly differences: readonly string[] | null;
  readonly nearestKey: string | null;
}

export interface EvalCache {
  /** Undefined is a miss. */
  read(suite: string, key: string): Promise<unknown>;
  write(suite: string, key: string, data: unknown, facts?: CacheWrite): Promise<void>;
  stats(): Promise<readonly SuiteStats[]>;
  verify(): Promise<{ readonly checked: number; readonly faults: readonly CacheFault[] }>;
  /** Returns how many entries were deleted. */
  clear(suite?: string): Promise<number>;
  why(suite: string, key: string, facts: CacheWrite): Promise<WhyAnswer>;
}

export interface CacheOptions {
  /** `EVAL_CACHE=0` turns it off. */
  readonly isEnabled?: boolean;
  readonly now?: () => number;
}

export function openCache(home: string, options: CacheOptions = {}): EvalCache {
  const { isEnabled = true, now = Date.now } = options;
  const root = join(home, "eval-cache");
  const folderOf = (suite: string) => join(root, suiteFolder(suite));
  const pathOf = (suite: string, key: string) => join(folderOf(suite), `${checkedKey(key)}.json`);
  return {
    read: async (suite, key) => {
      const path = pathOf(suite, key);
      const entry = isEnabled ? (await readEntry(path))?.entry : undefined;
      if (!entry) return undefined;
      // One short line written with O_APPEND, so that several readers can count at once.
      await appendFile(join(folderOf(suite), hitsFile), `${key}\t${entry._cost_usd ?? ""}\n`, { mode: 0o600 });
      return entry.data;
    },
    write: async (suite, key, data, facts = {}) => {
      const path = pathOf(suite, key);
      if (!isEnabled) return;
      const at = new Date(now()).toISOString();
      const entry = {
        _cache_version: cacheVersion,
        _cached_at: at,
        _suite: suite,
        _case_name: facts.caseName ?? null,
        _key: facts.parts ?? null,
        _cost_usd: await dollarsOf(data, at),
        data: data ?? null,
      };
      await ensurePrivateFolder(root);
      await ensurePrivateFolder(folderOf(suite));
      await writeFileAtomic(path, JSON.stringify(entry));
    },
    stats: async () => Promise.all((await suitesIn(root)).map((folder) => statsOf(root, folder))),
    verify: async () => {
      const faults: CacheFault[] = [];
      let checked = 0;
      for (const folder of await suitesIn(root)) {
        for (const name of await entriesIn(join(root, folder))) {
          const path = join(root, folder, name);
          const found = await readEntry(path);
          checked += 1;
          if (found?.problem) faults.push({ path, problem: found.problem });
          else if (found?.entry && suiteFolder(found.entry._suite) !== folder) {
            faults.push({ path, problem: `belongs to the suite ${found.entry._suite}` });
          }
        }
      }
      return { checked, faults };
    },
    clear: async (suite) => {
      const folders = suite === undefined ? await suitesIn(root) : [suiteFolder(suite)];
      let gone = 0;
      for (const folder of folders) {
        gone += (await entriesIn(join(root, folder))).length;
        await rm(join(root, folder), { recursive: true, force: true });
      }
      return gone;
    },
    why: async (suite, key, facts) => {
      const found = await readEntry(pathOf(suite, key));
      if (found?.entry) return { isHit: true, differences: [], nearestKey: key };
      return nearestEntry(folderOf(suite), facts);
    },
  };
}

const hitsFile = ".hits";

async function nearestEntry(folder: string, { caseName = null, parts }: CacheWrite): Promise<WhyAnswer> {
  let best: { key: string; differences: string[]; at: string } | undefined;
  for (const name of await entriesIn(folder)) {
    const entry = (await readEntry(join(folder, name)))?.entry;
    if (!entry?._key || !parts) continue;
    if (caseName !== null && entry._case_name !== caseName) continue;
    const differences = keyDifferences(entry._key, parts);
    const isNearer =
      !best ||
      differences.length < best.differences.length ||
      (differences.length === best.differences.length && entry._cached_at > best.at);
    if (isNearer) best = { key: name.replace(/\.json$/, ""), differences, at: entry._cached_at };
  }
  return { isHit: false, differences: best?.differences ?? null, nearestKey: best?.key ?? null };
}

async function statsOf(root: string, folder: string): Promise<SuiteStats> {
  const names = await entriesIn(join(root, folder));
  const files = await Promise.all(names.map((name) => stat(join(root, folder, name)).catch(() => undefined)));
  const times = files.flatMap((file) => (file ? [file.mtimeMs] : [])).sort((a, b) => a - b);
  const hits = await readFile(join(root, folder, hitsFile), "utf8").catch(() => "");
  const costs = hits
    .split("\n")
    .filter(Boolean)
    .map((line) => line.split("\t")[1] ?? "");
  const day = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());
  return {
    suite: decodeURIComponent(folder),
    entries: names.length,
    bytes: files.reduce((sum, file) => sum + (file?.size ?? 0), 0),
    oldest: day(times[0]),
    newest: day(times.at(-1)),
    hits: costs.length,
    savedUsd: costs.reduce((sum, cost) => sum + Number(cost), 0),
    unpricedHits: costs.filter((cost) => cost === "").length,
  };
}

type ReadEntry = { readonly entry: Entry; readonly problem: null } | { readonly entry: null; readonly problem: string };

async function readEntry(path: string): Promise<ReadEntry | undefined> {
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  try {
    const parsed = entrySchema.safeParse(JSON.parse(text));
    if (parsed.success) return { entry: parsed.data, problem: null };
    const [issue] = parsed.error.issues;
    return { entry: null, problem: `${issue?.path.join(".")}: ${issue?.message}` };
  } catch {
    return { entry: null, problem: "not valid JSON" };
  }
}

async function suitesIn(root: string): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

async function entriesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.endsWith(".json")).sort();
}

/** A suite's name may contain any character; a folder's name may not. */
export function suiteFolder(suite: string): string {
  const folder = encodeURIComponent(suite).replace(/^\./, "%2E");
  if (suite === "" || folder.length > 200) throw invalid(`"${suite.slice(0, 50)}" is not a valid suite name.`);
  return folder;
}

function checkedKey(key: string): string {
  if (/^[A-Za-z0-9][\w.-]{0,127}$/.test(key)) return key;
  throw invalid(`"${key.slice(0, 50)}" is not a valid cache key: use letters, digits, ".", "_" and "-".`);
}

function invalid(problem: string): DevflowError {
  return new DevflowError("input_invalid", { details: { problem, next: "devflow eval cache stats" } });
}
