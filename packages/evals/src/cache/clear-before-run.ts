/**
 * `EVAL_CACHE_CLEAR=1` clears the cache once before a run, not once per command: a runner in another language calls
 * `devflow eval cache` for every case with the same environment, and must not lose what it just wrote.
 *
 * - `clearBeforeRun(home, cache, runner)` true if it cleared the cache. The runner is the process that started us.
 */
import { join } from "node:path";
import { ensurePrivateFolder, readPrivateFile, writeFileAtomic } from "@devflow/core/atomic-file";
import type { ProcessProof } from "@devflow/core/process-proof";
import type { EvalCache } from "./eval-cache.ts";

export async function clearBeforeRun(home: string, cache: EvalCache, runner: ProcessProof): Promise<boolean> {
  const marker = join(home, "eval-cache", ".cleared");
  const mark = `${runner.pid} ${runner.identity}`;
  if ((await readPrivateFile(marker)) === mark) return false;
  await ensurePrivateFolder(join(home, "eval-cache"));
  await cache.clear();
  await writeFileAtomic(marker, mark);
  return true;
}
