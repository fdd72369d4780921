/**
 * The results of the newest eval runs in the cache, one file per run: `eval-results/<id>.json`.
 *
 * - `pullResults(options, folder)` fetches those that are not there yet and removes those of runs that are gone.
 * - `readResults(folder, id)` the results of one run; empty when they are not in the cache.
 */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ensurePrivateFolder, writeFileAtomic } from "@devflow/core/atomic-file";
import { parseJson, readIfThere } from "@devflow/core/read-if-there";
import { RunResults } from "@devflow/protocol";
import type { Connection } from "../remote/index.ts";
import { ask } from "./ask.ts";
import { type CacheOf, readRows } from "./team-cache.ts";

/** A trend shows 30 points, of at most a few runs each. */
const keptRuns = 200;
const askedAtOnce = 50;

export async function pullResults(
  options: { readonly connection: Connection; readonly of: CacheOf; readonly signal?: AbortSignal },
  folder: string,
): Promise<void> {
  const wanted = (await readRows(folder, "eval_run")).slice(0, keptRuns).map(({ id }) => id);
  const place = join(folder, "eval-results");
  await ensurePrivateFolder(place);
  const there = (await readdir(place)).flatMap((name) => /^([0-9a-f-]{36})\.json$/.exec(name)?.[1] ?? []);
  for (const id of there) if (!wanted.includes(id)) await rm(fileOf(folder, id), { force: true });
  let missing = wanted.filter((id) => !there.includes(id));
  while (missing.length > 0) {
    const run_ids = missing.slice(0, askedAtOnce);
    const found = await ask(options, "eval_results", { team_id: options.of.team, run_ids });
    for (const run of found) await writeFileAtomic(fileOf(folder, run.run_id), `${JSON.stringify(run)}\n`);
    const got = new Set(found.map(({ run_id }) => run_id));
    // A run that was erased meanwhile is not answered; it must not be asked for again.
    const given = got.size > 0 ? got : new Set(run_ids);
    missing = missing.filter((id) => !given.has(id));
  }
}

export async function readResults(folder: string, id: string): Promise<RunResults["results"]> {
  const text = await readIfThere(fileOf(folder, id));
  return text === undefined ? [] : (RunResults.safeParse(parseJson(text)).data?.results ?? []);
}

const fileOf = (folder: string, id: string): string => join(folder, "eval-results", `${id}.json`);
