/** OTLP log records of the event `gen_ai.evaluation.result`: for each result, one with the verdict and one per score. */
import { hashBytes } from "@devflow/core/hash";
import type { EvalResult, EvalRun } from "../../results/result.ts";
import { writeAttributes } from "../formats/otlp-attributes.ts";
import { asText, type Exporter } from "./exporter.ts";

/** Results per resource, so that a reader need not hold all of them in memory. */
const resultsPerBatch = 200;

export const otlpExport: Exporter = {
  id: "otlp",
  title: "OTLP gen_ai.evaluation.result (JSON)",
  extension: ".otlp.json",
  carried: [
    "the verdict, every score, explanations, errors, expected and actual of the first failure, model, commit, branch, host",
  ],
  lost: [
    "inputs and outputs (the input's hash is kept)",
    "tokens and cost",
    "failures beyond the first",
    "usage, comparison and extra members",
  ],
  async *write(run, results) {
    const resource = JSON.stringify({ attributes: writeAttributes(resourceAttributes(run)) });
    const begin = `{"resource":${resource},"scopeLogs":[{"scope":{"name":"devflow"},"logRecords":[`;
    const time = `${Math.max(0, Date.parse(run.at) || 0)}000000`;
    yield '{"resourceLogs":[';
    let index = 0;
    for await (const result of results) {
      const isFirst = index % resultsPerBatch === 0;
      if (isFirst) yield `${index === 0 ? "" : "]}]},"}${begin}`;
      const records = recordsOf(run, result, index, time).map((record) => JSON.stringify(record));
      yield `${isFirst ? "" : ","}${records.join(",")}`;
      index += 1;
    }
    yield index === 0 ? "]}\n" : "]}]}]}\n";
  },
};

function resourceAttributes(run: EvalRun): Record<string, unknown> {
  return {
    "service.name": run.suite,
    "host.name": run.host,
    "vcs.ref.head.revision": run.gitSha,
    "vcs.ref.head.name": run.gitBranch,
    "devflow.run_id": run.runId,
    "devflow.suite": run.suite,
    "devflow.label": run.label,
    "devflow.model": run.model,
  };
}

function recordsOf(run: EvalRun, result: EvalResult, index: number, time: string): unknown[] {
  const identity = {
    "devflow.result_id": hashBytes(`${run.runId}\n${index}`).slice(0, 16),
    "devflow.case": result.name,
    "devflow.repeat": result.repeat,
    "devflow.category": result.category,
    "devflow.input_sha": result.inputSha,
    "devflow.expectations_sha": result.expectationsSha,
    "gen_ai.response.model": result.usage[0]?.model ?? run.model,
  };
  const failure = result.failures[0];
  const verdict = {
    "gen_ai.evaluation.name": failure?.criterion ?? failure?.expectationType ?? "verdict",
    "gen_ai.evaluation.score.label": result.status,
    "gen_ai.evaluation.explanation": failure?.message ?? result.error,
    "devflow.status": result.status,
    "devflow.duration_ms": result.durationMs,
    "devflow.expected": failure === undefined ? null : asText(failure.expected) || null,
    "devflow.actual": failure === undefined ? null : asText(failure.actual) || null,
    "error.type": result.status === "error" ? "error" : null,
    "error.message": result.status === "error" ? result.error : null,
  };
  const scores = Object.entries(result.scores).map(([name, score]) => ({
    "gen_ai.evaluation.name": name,
    "gen_ai.evaluation.score.value": score,
  }));
  return [verdict, ...scores].map((attributes) => ({
    timeUnixNano: time,
    eventName: "gen_ai.evaluation.result",
    severityNumber: 9,
    attributes: writeAttributes({ ...identity, ...attributes }),
  }));
}
