/** A store with many runs, for the benchmarks that read. */
import type { EvalResult } from "@devflow/evals";
import { type EvalStore, openStore } from "@devflow/evals/store";

export async function filledStore(home: string, runs: number, resultsEach: number): Promise<EvalStore> {
  const store = await openStore(home);
  for (let run = 0; run < runs; run++) {
    await store.push({
      run: {
        runId: `run-${run}`,
        suite: `suite ${run % 5}`,
        label: run % 3 ? "main" : "dev_try",
        tier: "standard",
        at: new Date(Date.UTC(2026, 0, 1) + run * 3_600_000).toISOString(),
        gitSha: `commit-${Math.floor(run / 3)}`,
        gitBranch: run % 3 ? "main" : "dev/try",
        promptSha: null,
        model: null,
        host: null,
        judges: [],
        durationMs: 60_000,
        totals: { total: 0, passed: 0, failed: 0, errors: 0, skipped: 0 },
        costs: [],
        source: "devflow",
        extra: {},
      },
      results: Array.from({ length: resultsEach }, (_, at) => resultOf(run, at)),
      losses: [],
      warnings: [],
    });
  }
  return store;
}

function resultOf(run: number, at: number): EvalResult {
  return {
    name: `case ${at}`,
    category: `category ${at % 7}`,
    tags: [],
    status: (at + run) % 9 === 0 ? "fail" : "pass",
    repeat: 0,
    inputSha: null,
    input: { question: `question ${at}` },
    expectationsSha: null,
    output: { response: `answer ${at} of run ${run} `.repeat(30) },
    responsePreview: `answer ${at} of run ${run} `.repeat(8),
    error: null,
    failures: [],
    scores: { accuracy: (at % 100) / 100, tone: (at % 10) / 10 },
    durationMs: (at * 37) % 9000,
    turns: 1,
    cached: false,
    usage: [],
    comparison: null,
    extra: {},
  };
}
