/** promptfoo's JSON v3, as `promptfoo import` accepts it. Data without a promptfoo member goes to `metadata.devflow`. */

import { hashBytes } from "@devflow/core/hash";
import type { EvalFailure, EvalResult, EvalRun, EvalTotals, ModelUsage, ResultStatus } from "../../results/result.ts";
import { fields } from "../fields.ts";
import { cacheStandsInside } from "../formats/promptfoo-result.ts";
import type { Exporter } from "./exporter.ts";

export const promptfooExport: Exporter = {
  id: "promptfoo",
  title: "promptfoo JSON v3",
  extension: ".json",
  carried: [
    "verdicts (0 none, 1 assertion, 2 error), failed assertions, scores, input as vars, output, tokens, cost, latency",
  ],
  lost: ["skipped results, which promptfoo shows as errors", "usage of a second model", "comparison"],
  async *write(run, results) {
    const provider = run.model ?? "devflow";
    const prompt = typeof run.extra.prompt === "string" ? run.extra.prompt : run.suite;
    const promptId = run.promptSha ?? hashBytes(prompt);
    const base = { provider, prompt, promptId };
    const opening = JSON.stringify({ evalId: run.runId, results: { version: 3, timestamp: run.at, results: [] } });
    yield `${opening.slice(0, -3)}\n`;
    const sums = {
      total: 0,
      passed: 0,
      failed: 0,
      errors: 0,
      skipped: 0,
      score: 0,
      latency: 0,
      cost: 0,
      input: 0,
      output: 0,
      cached: 0,
    };
    for await (const result of results) {
      yield `${sums.total === 0 ? "" : ",\n"}${JSON.stringify(record(result, sums.total, base))}`;
      add(sums, result);
    }
    yield `\n],"prompts":${JSON.stringify([promptRecord(base, sums)])},"stats":${JSON.stringify(stats(sums, run))}},`;
    yield `${JSON.stringify(closing(run)).slice(1)}\n`;
  },
};

interface Base {
  readonly provider: string;
  readonly prompt: string;
  readonly promptId: string;
}

interface Sums extends Record<keyof EvalTotals, number> {
  score: number;
  latency: number;
  cost: number;
  input: number;
  output: number;
  cached: number;
}

const counted: Readonly<Record<ResultStatus, "passed" | "failed" | "errors" | "skipped">> = {
  pass: "passed",
  fail: "failed",
  error: "errors",
  skipped: "skipped",
};

function add(sums: Sums, result: EvalResult): void {
  sums.total += 1;
  sums[counted[result.status]] += 1;
  sums.score += scoreOf(result);
  sums.latency += result.durationMs ?? 0;
  for (const usage of result.usage) {
    sums.cost += usage.costUsd ?? 0;
    sums.input += usage.inputTokens;
    sums.output += usage.outputTokens;
    sums.cached += usage.cacheReadTokens;
  }
}

function record(result: EvalResult, index: number, base: Base): Record<string, unknown> {
  const vars = varsOf(result);
  const isPass = result.status === "pass";
  const reason = isPass ? "All assertions passed" : (result.failures[0]?.message ?? result.error ?? result.status);
  const asserts = result.failures.map(assertion);
  const graded = {
    pass: isPass,
    score: scoreOf(result),
    reason,
    namedScores: result.scores,
    tokensUsed: tokensOf(undefined),
    componentResults: result.failures.map((failure, at) => component(failure, asserts[at])),
  };
  const usage = result.usage[0];
  return {
    id: `devflow-${index}`,
    promptIdx: 0,
    testIdx: index,
    promptId: base.promptId,
    provider: { id: base.provider, label: "" },
    prompt: { raw: typeof result.input === "string" ? result.input : base.prompt, label: base.prompt },
    vars,
    testCase: { description: result.name, vars, assert: asserts, metadata: {}, options: {} },
    response: {
      output: result.output ?? "",
      cached: result.cached,
      tokenUsage: tokensOf(usage),
      ...(usage?.costUsd == null ? {} : { cost: usage.costUsd }),
    },
    ...(isPass
      ? {}
      : { error: result.status === "skipped" ? `skipped${result.error === null ? "" : `: ${result.error}`}` : reason }),
    success: isPass,
    failureReason: isPass ? 0 : result.status === "fail" ? 1 : 2,
    score: scoreOf(result),
    latencyMs: result.durationMs ?? 0,
    namedScores: result.scores,
    gradingResult: result.status === "error" || result.status === "skipped" ? null : graded,
    cost: usage?.costUsd ?? 0,
    tokenUsage: tokensOf(usage),
    metadata: {
      ...(result.category === null ? {} : { category: result.category }),
      ...(result.tags.length === 0 ? {} : { tags: result.tags }),
      devflow: {
        name: result.name,
        status: result.status,
        repeat: result.repeat,
        input: result.input,
        input_sha: result.inputSha,
        expectations_sha: result.expectationsSha,
      },
    },
  };
}

function varsOf(result: EvalResult): Record<string, unknown> {
  const members = fields(result.input);
  return Object.keys(members).length > 0 ? { ...members } : result.input === null ? {} : { input: result.input };
}

function scoreOf(result: EvalResult): number {
  return result.scores.score ?? (result.status === "pass" ? 1 : 0);
}

function assertion(failure: EvalFailure): Record<string, unknown> {
  return {
    type: failure.expectationType ?? "javascript",
    ...(failure.expected === null ? {} : { value: failure.expected }),
    ...(failure.criterion === null ? {} : { metric: failure.criterion }),
  };
}

function component(failure: EvalFailure, asserted: unknown): Record<string, unknown> {
  const score = Object.values(failure.scores ?? {})[0] ?? 0;
  return {
    pass: false,
    score,
    reason: failure.message,
    assertion: asserted,
    ...(failure.actual === null ? {} : { actual: failure.actual }),
  };
}

function tokensOf(usage: ModelUsage | undefined): Record<string, unknown> {
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0, calls = 0 } = usage ?? {};
  return {
    // promptfoo includes cache tokens in prompt tokens, except for Anthropic.
    prompt:
      inputTokens + (usage !== undefined && cacheStandsInside(usage.model) ? cacheReadTokens + cacheWriteTokens : 0),
    completion: outputTokens,
    cached: 0,
    total: inputTokens + outputTokens,
    numRequests: calls,
    completionDetails: {
      ...{ reasoning: 0, acceptedPrediction: 0, rejectedPrediction: 0 },
      ...{ cacheReadInputTokens: cacheReadTokens, cacheCreationInputTokens: cacheWriteTokens },
    },
  };
}

function promptRecord(base: Base, sums: Sums): Record<string, unknown> {
  return {
    raw: base.prompt,
    label: base.prompt,
    id: base.promptId,
    provider: base.provider,
    metrics: {
      score: sums.score,
      testPassCount: sums.passed,
      testFailCount: sums.failed,
      testErrorCount: sums.errors + sums.skipped,
      assertPassCount: sums.passed,
      assertFailCount: sums.failed,
      totalLatencyMs: sums.latency,
      tokenUsage: totalTokens(sums),
      namedScores: {},
      namedScoresCount: {},
      cost: sums.cost,
    },
  };
}

function stats(sums: Sums, run: EvalRun): Record<string, unknown> {
  return {
    successes: sums.passed,
    failures: sums.failed,
    errors: sums.errors + sums.skipped,
    tokenUsage: totalTokens(sums),
    ...(run.durationMs === null ? {} : { durationMs: run.durationMs }),
  };
}

function totalTokens(sums: Sums): Record<string, unknown> {
  return {
    prompt: sums.input,
    completion: sums.output,
    cached: sums.cached,
    total: sums.input + sums.output,
    numRequests: sums.total,
  };
}

function closing(run: EvalRun): Record<string, unknown> {
  return {
    config: { description: run.suite, prompts: [], providers: [run.model ?? "devflow"], tests: [] },
    shareableUrl: null,
    metadata: {
      evaluationCreatedAt: run.at,
      devflow: {
        suite: run.suite,
        label: run.label,
        git_sha: run.gitSha,
        git_branch: run.gitBranch,
        source: run.source,
      },
    },
  };
}
