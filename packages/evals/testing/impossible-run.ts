/**
 * A run as an earlier version stored it: its costs add up to infinity, which JSON writes as null.
 *
 * - `storeImpossibleRun(home, usage)` writes the file into the store of that home, past every check.
 */
import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import type { ModelUsage } from "../src/results/result.ts";
import { rowOf } from "../src/store/result-row.ts";
import { RunFileWriter } from "../src/store/run-file.ts";
import type { RunRecord } from "../src/store/run-record.ts";
import { importedRun, result } from "./imported-run.ts";

export async function storeImpossibleRun(home: string, usage: ModelUsage): Promise<void> {
  const folder = join(home, "evals/runs");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { run } = importedRun({ runId: "impossible" });
  const one = result({ usage: [usage] });
  const totals = { total: 1, passed: 1, failed: 0, errors: 0, skipped: 0 };
  const record: RunRecord = {
    format: 1,
    run: { ...run, totals },
    pushedAt: "2026-03-15T10:31:00.000Z",
    contentSha: null,
    summary: {
      totals,
      categories: {},
      criteria: {},
      durations: null,
      cachedResults: 0,
      failures: [],
      cost: { models: [], actualUsd: Number.POSITIVE_INFINITY, estimatedUsd: 0, unpricedCalls: 0, priceVersion: null },
    },
    superseded: 0,
    losses: [],
    warnings: [],
  };
  const file = await open(join(folder, `${"0".repeat(32)}.eval.zst`), "wx", 0o600);
  const writer = new RunFileWriter(file);
  await writer.add(one, rowOf(one, 0, { actualUsd: 1, estimatedUsd: 0, isUnpriced: false }));
  await writer.finish(record);
  await file.close();
}
