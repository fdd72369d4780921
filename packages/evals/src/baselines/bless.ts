/**
 * Chooses the runs of a baseline and writes it.
 *
 * - `baselineRuns(store, suite, { date, branch })` for each tier, the newest run up to that day and all others of its commit.
 * - `bless(store, folder, suite, options)` writes `<folder>/<suite>.md`; tiers without recent runs stay as they were.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomic } from "@devflow/core/atomic-file";
import { DevflowError } from "@devflow/core/errors";
import { readIfThere } from "@devflow/core/read-if-there";
import { byTier, evalTiers } from "@devflow/protocol/eval-enums";
import type { EvalStore } from "../store/index.ts";
import { type Baseline, baselineKey, baselineOf, parseBaseline, renderBaseline } from "./baseline.ts";

export interface BaselineChoice {
  /** `2026-03-15`: only runs up to the end of that day. */
  readonly date?: string;
  readonly branch?: string;
}

export async function baselineFor(store: EvalStore, suite: string, choice: BaselineChoice = {}): Promise<Baseline> {
  const ids = evalTiers.flatMap((tier) => {
    const filter = { suite, tier, ...(choice.branch === undefined ? {} : { branch: choice.branch }) };
    const { runs } = store.list({ ...filter, limit: 1000 });
    const newest = runs.find(({ at }) => choice.date === undefined || at.slice(0, 10) <= choice.date);
    if (!newest) return [];
    const sameState = runs.filter(
      (run) =>
        run.runId === newest.runId ||
        (newest.gitSha !== null &&
          run.gitSha === newest.gitSha &&
          run.promptSha === newest.promptSha &&
          run.judgeKey === newest.judgeKey &&
          run.at <= newest.at),
    );
    return sameState.map((run) => `${run.suite}/${run.runId}`);
  });
  if (ids.length === 0) {
    const what = `A run of ${suite}${choice.date ? ` up to ${choice.date}` : ""}`;
    throw new DevflowError("not_found", { details: { what, next: "devflow eval list" } });
  }
  return baselineOf(suite, await store.resultsFor(ids));
}

export async function bless(
  store: EvalStore,
  folder: string,
  suite: string,
  choice: BaselineChoice = {},
): Promise<{ readonly path: string; readonly baseline: Baseline }> {
  const path = join(folder, `${encodeURIComponent(suite)}.md`);
  const before = await readIfThere(path);
  const now = await baselineFor(store, suite, choice);
  const baseline = before === undefined ? now : withOldTiers(parseBaseline(before), now);
  await mkdir(folder, { recursive: true });
  // The file is committed, so it need not be private.
  await writeFileAtomic(path, renderBaseline(baseline), 0o644);
  return { path, baseline };
}

/** Keeps tiers that this machine did not run: blessing the fast tier must not drop the full one. */
function withOldTiers(before: Baseline, now: Baseline): Baseline {
  const kept = before.tiers.filter(({ tier }) => !now.tiers.some((one) => one.tier === tier));
  if (kept.length === 0) return now;
  const cases = new Map(now.cases.map((one) => [baselineKey(one), one]));
  for (const old of before.cases) {
    const cells = Object.entries(old.tiers).filter(([tier]) => kept.some((one) => one.tier === tier));
    if (cells.length === 0) continue;
    const found = cases.get(baselineKey(old));
    cases.set(baselineKey(old), { ...old, tiers: { ...Object.fromEntries(cells), ...found?.tiers } });
  }
  return {
    suite: now.suite,
    tiers: [...kept, ...now.tiers].sort((a, b) => byTier(a.tier, b.tier)),
    cases: [...cases.values()].sort((a, b) => (baselineKey(a) < baselineKey(b) ? -1 : 1)),
  };
}
