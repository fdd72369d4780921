/**
 * Votes that were paid for already, apart from the cache of outputs.
 *
 * - `judgeCache(folder)` files `<key>.json` by the hash of model, rubric and content; several writers are safe.
 *
 * A file that cannot be read as a vote is a miss and is written anew.
 */
import { join } from "node:path";
import { ensurePrivateFolder, readPrivateFile, writeFileAtomic } from "@devflow/core/atomic-file";
import { hash } from "@devflow/core/hash";
import { z } from "zod";

export interface CachedVote {
  readonly scores: Readonly<Record<string, number>>;
  readonly reasons: Readonly<Record<string, string>>;
}

export interface VoteKey {
  readonly provider: string;
  readonly model: string;
  readonly rubricSha: string;
  readonly content: string;
  readonly temperature: number | null;
  /** Which vote of the same judge over the same content. */
  readonly vote: number;
}

export interface JudgeCache {
  read(key: VoteKey): Promise<CachedVote | undefined>;
  write(key: VoteKey, vote: CachedVote): Promise<void>;
}

const version = 1;
const entry = z.object({
  _cache_version: z.literal(version),
  key: z.string(),
  scores: z.record(z.string(), z.number().min(0).max(1)),
  reasons: z.record(z.string(), z.string()),
});

export function judgeCache(folder: string, now: () => number): JudgeCache {
  const keyOf = (key: VoteKey) => hash({ version, ...key });
  const pathOf = (key: string) => join(folder, key.slice(0, 2), `${key}.json`);
  return {
    async read(given) {
      const key = keyOf(given);
      const text = await readPrivateFile(pathOf(key)).catch(() => undefined);
      const parsed = entry.safeParse(text === undefined ? undefined : parse(text));
      return parsed.success && parsed.data.key === key
        ? { scores: parsed.data.scores, reasons: parsed.data.reasons }
        : undefined;
    },
    async write(given, { scores, reasons }) {
      const key = keyOf(given);
      await ensurePrivateFolder(join(folder, key.slice(0, 2)));
      const facts = {
        _cache_version: version,
        _cached_at: new Date(now()).toISOString(),
        key,
        model: given.model,
        rubric_sha: given.rubricSha,
      };
      await writeFileAtomic(pathOf(key), `${JSON.stringify({ ...facts, scores, reasons })}\n`);
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
