/**
 * Cached votes, separate from the cache of outputs.
 *
 * - `judgeCache(folder)` files `<key>.json` by the hash of model, rubric and content; safe for concurrent writers.
 * - `judgeCacheStats(folder)` how many votes are cached, how often they were used, and what that saved.
 * - `clearJudgeCache(folder)` deletes all votes and returns their number.
 *
 * A file that is not a valid vote is a miss and is replaced.
 */
import { appendFile, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { ensurePrivateFolder, readPrivateFile, writeFileAtomic } from "@devflow/core/atomic-file";
import { hash } from "@devflow/core/hash";
import { parseJson } from "@devflow/core/read-if-there";
import { z } from "zod";
import type { ModelUsage } from "../results/result.ts";

export interface CachedVote {
  readonly scores: Readonly<Record<string, number>>;
  readonly reasons: Readonly<Record<string, string>>;
}

/** The usage of all attempts together. */
type Usage = readonly ModelUsage[];

export interface VoteKey {
  readonly provider: string;
  readonly model: string;
  readonly rubricSha: string;
  readonly content: string;
  readonly temperature: number | null;
  /** The number of the vote, for several votes of one judge on the same content. */
  readonly vote: number;
}

export interface JudgeCache {
  read(key: VoteKey): Promise<CachedVote | undefined>;
  write(key: VoteKey, vote: CachedVote, usage?: Usage): Promise<void>;
}

const version = 1;
const entry = z.object({
  _cache_version: z.literal(version),
  key: z.string(),
  scores: z.record(z.string(), z.number().min(0).max(1)),
  reasons: z.record(z.string(), z.string()),
  usd: z.number().nullish(),
});

const hitsFile = ".hits";

export function judgeCache(folder: string, now: () => number): JudgeCache {
  const keyOf = (key: VoteKey) => hash({ version, ...key });
  const pathOf = (key: string) => join(folder, key.slice(0, 2), `${key}.json`);
  return {
    async read(given) {
      const key = keyOf(given);
      const text = await readPrivateFile(pathOf(key)).catch(() => undefined);
      const parsed = entry.safeParse(text === undefined ? undefined : parseJson(text));
      if (!parsed.success || parsed.data.key !== key) return undefined;
      const { scores, reasons, usd } = parsed.data;
      // One short line written with O_APPEND, so that several readers can count at once.
      await appendFile(join(folder, hitsFile), `${usd ?? ""}\n`, { mode: 0o600 }).catch(() => undefined);
      return { scores, reasons };
    },
    async write(given, { scores, reasons }, usage = []) {
      const key = keyOf(given);
      await ensurePrivateFolder(join(folder, key.slice(0, 2)));
      const at = new Date(now()).toISOString();
      const facts = {
        _cache_version: version,
        _cached_at: at,
        key,
        model: given.model,
        rubric_sha: given.rubricSha,
        usd: await dollarsOf(usage, at),
      };
      await writeFileAtomic(pathOf(key), `${JSON.stringify({ ...facts, scores, reasons })}\n`);
    },
  };
}

/** Null if unknown. */
async function dollarsOf(usage: Usage, at: string): Promise<number | null> {
  if (usage.length === 0) return null;
  const { priceUsage } = await import("@devflow/prices");
  const priced = await Promise.all(usage.map((one) => priceUsage(one, at)));
  return priced.every(({ usd }) => usd !== null) ? priced.reduce((sum, { usd }) => sum + (usd ?? 0), 0) : null;
}

export interface JudgeCacheStats {
  readonly entries: number;
  readonly bytes: number;
  readonly hits: number;
  readonly savedUsd: number;
  /** Hits of votes whose cost is unknown. */
  readonly unpricedHits: number;
}

export async function judgeCacheStats(folder: string): Promise<JudgeCacheStats> {
  const paths = await votesIn(folder);
  const sizes = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  const hits = (await readFile(join(folder, hitsFile), "utf8").catch(() => "")).split("\n").slice(0, -1);
  return {
    entries: paths.length,
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    hits: hits.length,
    savedUsd: hits.reduce((sum, usd) => sum + Number(usd), 0),
    unpricedHits: hits.filter((usd) => usd === "").length,
  };
}

export async function clearJudgeCache(folder: string): Promise<number> {
  const { length } = await votesIn(folder);
  await rm(folder, { recursive: true, force: true });
  return length;
}

async function votesIn(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true }).catch(() => [] as string[]);
  return found.filter((name) => name.endsWith(".json")).map((name) => join(folder, name));
}
