/**
 * An eval run as records of a team, for tests.
 *
 * - `evalRecords(given)` the header and one chunk. `outcomes` has one letter per case: p, f or e; the cases are named by their place.
 */
import { uuidv7 } from "@devflow/core/ids";

export interface MadeEvalRun {
  readonly suite?: string;
  readonly sha: string;
  readonly branch?: string;
  readonly at: string;
  readonly outcomes: string;
  readonly usd?: number;
  readonly repo?: string | null;
  readonly author?: string;
  readonly names?: (place: number) => string;
}

const statuses: Readonly<Record<string, string>> = { p: "pass", f: "fail", e: "error" };

export function evalRecords(given: MadeEvalRun): { readonly id: string; readonly records: object[] } {
  const { suite = "support", branch = "main", sha, at, outcomes, usd = 0.25, repo = "example.org/shop" } = given;
  const id = uuidv7();
  const count = (letter: string) => [...outcomes].filter((one) => one === letter).length;
  const totals = { total: outcomes.length, passed: count("p"), failed: count("f"), errors: count("e"), skipped: 0 };
  const run = {
    ...{ runId: id, suite, label: branch, tier: "standard", at, gitSha: sha, gitBranch: branch, promptSha: null },
    ...{ model: "m-1", host: "ci", judges: [], durationMs: 1000, totals, costs: [], source: "devflow", extra: {} },
  };
  const cost = {
    models: [{ model: "m-1", calls: 1, inputTokens: 1, outputTokens: 1, actualUsd: usd, estimatedUsd: 0 }],
    ...{ actualUsd: usd, estimatedUsd: 0, unpricedCalls: 0 },
  };
  const header = {
    format: 1,
    run,
    pushedAt: at,
    contentSha: null,
    summary: { totals, categories: {}, criteria: {}, durations: null, cost },
    superseded: 0,
    commits: [{ sha, parents: [], author: given.author ?? "Grace", at, subject: `Change ${sha.slice(0, 4)}` }],
    losses: [],
    warnings: [],
  };
  const name = given.names ?? ((place: number) => `case ${place}`);
  const results = [...outcomes].map((letter, place) => ({
    ...{ name: name(place), status: statuses[letter], inputSha: `sha-${place}`, repeat: 0, scores: {}, durationMs: 10 },
  }));
  const about = { schema_version: 1, at, repo };
  return {
    id,
    records: [
      { id, kind: "eval_run", ...about, payload: header },
      { id: uuidv7(), kind: "eval_results", ...about, payload: { run: id, suite, index: 0, last: true, results } },
    ],
  };
}
