/**
 * Inspect's log as JSON (`inspect view` and `read_eval_log` read it; version 2). A result is a sample, its repeat the epoch, and its
 * verdict the score `devflow`, C or I; the other scores follow it.
 */
import type { EvalFailure, EvalResult, EvalRun, ModelUsage } from "../../results/result.ts";
import { fields, text } from "../fields.ts";
import { asText, type Exporter } from "./exporter.ts";

export const inspectExport: Exporter = {
  id: "inspect",
  title: "Inspect .json",
  extension: ".json",
  carried: ["verdicts as the score devflow, all scores, input, output, target, errors, tokens per model, time, epochs"],
  lost: ["skipped results, which have no score", "failures but for their explanations"],
  async *write(run, results) {
    const head = { version: 2, status: "success", eval: specOf(run), plan: { name: "plan", steps: [], config: {} } };
    yield `${JSON.stringify(head).slice(0, -1)},"samples":[\n`;
    const sums = { total: 0, correct: 0, errors: 0, epochs: 1 };
    const usage = new Map<string, Tokens>();
    for await (const result of results) {
      yield `${sums.total === 0 ? "" : ",\n"}${JSON.stringify(sampleOf(result, run))}`;
      sums.total += 1;
      if (result.status === "pass") sums.correct += 1;
      if (result.status === "error") sums.errors += 1;
      sums.epochs = Math.max(sums.epochs, result.repeat + 1);
      for (const one of result.usage) usage.set(one.model, added(usage.get(one.model), one));
    }
    const scored = sums.total - sums.errors;
    const results_ = {
      total_samples: sums.total,
      completed_samples: scored,
      scores: [
        {
          name: "devflow",
          scorer: "devflow",
          params: {},
          metrics: { accuracy: { name: "accuracy", value: scored > 0 ? sums.correct / scored : 0, params: {} } },
        },
      ],
    };
    const ended = new Date(Date.parse(run.at) + (run.durationMs ?? 0)).toISOString();
    const stats = { started_at: run.at, completed_at: ended, model_usage: Object.fromEntries(usage) };
    yield `\n],"results":${JSON.stringify(results_)},"stats":${JSON.stringify(stats)}}\n`;
  },
};

function specOf(run: EvalRun): Record<string, unknown> {
  return {
    run_id: run.runId,
    eval_id: run.runId,
    task_id: run.runId,
    created: run.at,
    task: run.suite,
    task_version: 0,
    dataset: { name: run.suite },
    model: run.model ?? "none/none",
    config: {},
    packages: {},
    tags: [run.label],
    metadata: { devflow: { tier: run.tier, label: run.label, variant: run.variant ?? null } },
    ...(run.gitSha === null ? {} : { revision: { type: "git", origin: "", commit: run.gitSha } }),
  };
}

interface Tokens {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly total_tokens: number;
  readonly input_tokens_cache_read: number;
  readonly input_tokens_cache_write: number;
}

function added(
  before: Tokens | undefined,
  { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: ModelUsage,
): Tokens {
  const all = inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
  return {
    input_tokens: (before?.input_tokens ?? 0) + inputTokens,
    output_tokens: (before?.output_tokens ?? 0) + outputTokens,
    total_tokens: (before?.total_tokens ?? 0) + all,
    input_tokens_cache_read: (before?.input_tokens_cache_read ?? 0) + cacheReadTokens,
    input_tokens_cache_write: (before?.input_tokens_cache_write ?? 0) + cacheWriteTokens,
  };
}

function sampleOf(result: EvalResult, run: EvalRun): Record<string, unknown> {
  const answer = asText(result.output);
  const isScored = result.status === "pass" || result.status === "fail";
  const input = asText(result.input);
  return {
    id: result.name,
    epoch: result.repeat + 1,
    input,
    target: targetOf(result),
    messages: [
      { role: "user", content: input, source: "input" },
      ...(answer === "" ? [] : [{ role: "assistant", content: answer, source: "generate" }]),
    ],
    output: {
      model: run.model ?? "none/none",
      choices: [{ message: { role: "assistant", content: answer, source: "generate" }, stop_reason: "stop" }],
      completion: answer,
    },
    scores: isScored ? scoresOf(result, answer) : {},
    metadata: {
      ...(result.category === null ? {} : { category: result.category }),
      tags: result.tags,
      devflow: { status: result.status, input: result.input, input_sha: result.inputSha },
    },
    store: {},
    events: [],
    model_usage: Object.fromEntries(result.usage.map((one) => [one.model, added(undefined, one)])),
    ...(result.durationMs === null
      ? {}
      : { total_time: result.durationMs / 1000, working_time: result.durationMs / 1000 }),
    ...(result.status === "error"
      ? { error: { message: result.error ?? "error", traceback: "", traceback_ansi: "" } }
      : {}),
  };
}

function targetOf(result: EvalResult): string {
  const given = fields(result.extra).target ?? result.failures[0]?.expected;
  return text(given) ?? "";
}

/** Whatever a criterion is called, it is a name like any other. */
function scoresOf(result: EvalResult, answer: string): Record<string, unknown> {
  const explained = (failures: readonly EvalFailure[]) =>
    failures.map(({ message }) => message).join("\n") || undefined;
  const verdict = { value: result.status === "pass" ? "C" : "I", answer, explanation: explained(result.failures) };
  const others = Object.entries(result.scores).map(([name, value]) => [
    name === "devflow" ? "devflow score" : name,
    { value, explanation: explained(result.failures.filter(({ criterion }) => criterion === name)) },
  ]);
  return Object.fromEntries([["devflow", verdict], ...others]);
}
