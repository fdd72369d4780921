/** Twenty runs at once. */
import { afterAll, expect, test } from "bun:test";
import { type EngineBench, openEngineBench } from "../../testing/engine-bench.ts";
import { verifyRun } from "../reports/verify-run.ts";

const bench: EngineBench = await openEngineBench({ maxConcurrentRuns: 20, patienceMs: 240_000 });
afterAll(() => bench.close());

test("twenty runs of eight phases each complete side by side, and no log has a gap", async () => {
  const started = await Promise.all(Array.from({ length: 20 }, () => bench.play({})));
  const ended = await Promise.all(started.map((runId) => bench.finish(runId)));
  expect(ended.map(({ run }) => run.state)).toEqual(Array(20).fill("completed"));
  for (const runId of started) {
    const seqs = (await bench.events(runId)).map((one) => one.seq);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    expect((await verifyRun(bench.context, runId)).ok).toBe(true);
  }
}, 480_000);
