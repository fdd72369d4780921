/** Payloads for tests. */

/** The header of an eval run. */
export function evalRunPayload({ suite, passed, failed }: { suite: string; passed: number; failed: number }): object {
  const totals = { total: passed + failed, passed, failed, errors: 0, skipped: 0 };
  const model = { model: "m-1", calls: 2, inputTokens: 100, outputTokens: 10, actualUsd: 0, estimatedUsd: 0.25 };
  return {
    format: 1,
    run: { suite, runId: "r1", label: "main", tier: "standard", at: new Date().toISOString(), gitSha: null, totals },
    summary: { criteria: { a: { mean: 0.5 } }, cost: { models: [model], actualUsd: 0, estimatedUsd: 0.25 } },
  };
}

/** The nth payload of a test that compares what arrived with what was written. */
export function payloadNumber(n: number): object {
  return { n, text: `Grüße ${n} 🎉 "quoted" \\ `.repeat(1 + (n % 7)), deep: { list: [n, null, n / 3] } };
}
