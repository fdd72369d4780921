/**
 * `suiteFile(results, facts)` the file of a suite's results in promptfoo's format (JSON v3), piece by piece, so that any number of
 * results needs little memory. `devflow eval push` and `promptfoo import` read it.
 */
import type { SuiteColumn } from "./plan-suite.ts";
import { failureReasons, type SuiteResult } from "./suite-result.ts";

export interface SuiteFileFacts {
  readonly runId: string;
  readonly at: string;
  readonly suite: string;
  readonly columns: readonly SuiteColumn[];
  readonly label: string;
  readonly gitSha: string | null;
  readonly gitBranch: string | null;
  readonly now: () => number;
}

export async function* suiteFile(results: AsyncIterable<SuiteResult>, facts: SuiteFileFacts): AsyncGenerator<string> {
  const began = facts.now();
  const { runId, at, suite, columns, label, gitSha, gitBranch } = facts;
  const head = { evalId: runId, results: { version: 3, timestamp: at, results: [] } };
  yield `${JSON.stringify(head).slice(0, -3)}\n`;
  const stats = { successes: 0, failures: 0, errors: 0 };
  let isFirst = true;
  for await (const result of results) {
    if (result.success) stats.successes += 1;
    else if (result.failureReason === failureReasons.error) stats.errors += 1;
    else stats.failures += 1;
    yield `${isFirst ? "" : ",\n"}${JSON.stringify(result)}`;
    isFirst = false;
  }
  const prompts = columns.map(({ prompt, promptId, provider }) => ({
    raw: prompt.raw,
    label: prompt.label,
    id: promptId,
    provider: provider.label ?? provider.id,
  }));
  yield `\n],"prompts":${JSON.stringify(prompts)},"stats":${JSON.stringify({ ...stats, durationMs: facts.now() - began })}},`;
  const rest = {
    config: { description: suite, prompts: [], providers: [], tests: [] },
    shareableUrl: null,
    metadata: {
      evaluationCreatedAt: at,
      devflow: { suite, label, git_sha: gitSha, git_branch: gitBranch, source: "promptfoo" },
    },
  };
  yield `${JSON.stringify(rest).slice(1)}\n`;
}
