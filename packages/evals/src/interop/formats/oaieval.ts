/** The log of OpenAI's open-source `oaieval`: a spec, interleaved events of many samples, and the report at the end. */

import { inMegabytes } from "../../results/limits.ts";
import { refuse } from "../../results/refuse.ts";
import type { EvalResult, ImportedRun, ResultStatus } from "../../results/result.ts";
import { type Fields, fields, instant, list, number, numbers, pick, shaOf, text } from "../fields.ts";
import {
  again,
  fileTitle,
  type Importer,
  Losses,
  notNumbersWarning,
  type Reading,
  resultOf,
  runOf,
  Tally,
} from "../importer.ts";
import { jsonLines } from "../json-lines.ts";

export const oaieval: Importer = {
  id: "oaieval",
  title: "openai/evals log (oaieval)",
  madeBy: "oaieval gpt-4 my-eval --record_path log.jsonl",
  carried: [
    "every sample with its first prompt and answer, expected and picked values of each match, numeric metrics as scores",
    "error events as ERROR, eval name, model, run id, final report",
  ],
  lost: ["other samplings of a sample (a judge's, or later turns)", "function calls, embeddings, log probabilities"],
  counts: "final_report.accuracy × match events = passed",
  recognises: (head) =>
    head.members.has("spec.run_id") ||
    head.members.has("spec.eval_name") ||
    (head.members.has("event_id") && head.members.has("sample_id")),
  read,
};

interface Sample {
  readonly id: string;
  raw: unknown;
  prompt: unknown;
  sampled: unknown;
  matches: Fields[];
  scores: Record<string, number>;
  error: string | null;
}

async function* read(reading: Reading): AsyncGenerator<ImportedRun> {
  const { source, limits } = reading;
  const samples = new Map<string, Sample>();
  const losses = new Losses();
  const warnings: string[] = [];
  let spec: Fields = {};
  let report: unknown = null;
  let held = 0;
  let notNumbers = 0;
  for await (const line of jsonLines(source, reading)) {
    if ("fault" in line) {
      warnings.push(line.fault);
      continue;
    }
    notNumbers += line.notNumbers;
    const record = fields(line.value);
    if ("spec" in record) spec = fields(record.spec);
    else if ("final_report" in record) report = record.final_report;
    else {
      // Events of one sample can be anywhere in the file, so all samples are held in memory.
      held += line.size;
      if (held > limits.heldBytes) {
        throw refuse(
          `${source.name} has more than ${inMegabytes(limits.heldBytes)} of events, which must be joined in memory.`,
          "Split the eval: oaieval --max_samples",
        );
      }
      addEvent(samples, record, losses);
    }
  }
  warnings.push(...notNumbersWarning(notNumbers));
  if (report === null)
    warnings.push("there is no final report: the run was stopped, and only the finished samples are imported");
  const tally = new Tally();
  for (const sample of samples.values()) tally.add(statusOf(sample, reading.passAt));
  const began = instant(text(spec.created_at));
  const config = fields(spec.run_config);
  const run = await runOf(reading, {
    ...(text(spec.run_id) === null ? {} : { runId: text(spec.run_id)! }),
    suite: text(spec.eval_name) ?? text(spec.base_eval) ?? fileTitle(source),
    source: "oaieval",
    totals: tally.totals,
    model: text(list(spec.completion_fns)[0]),
    ...(began === null ? {} : { at: began }),
    extra: {
      ...pick(spec, ["base_eval", "split"]),
      ...pick(config, ["seed", "max_samples"]),
      ...(report === null ? {} : { final_report: report }),
    },
  });
  const results = function* (): Generator<EvalResult> {
    for (const sample of samples.values()) yield resultFrom(sample, reading.passAt);
  };
  yield { run, results: again(results), losses: losses.sentences, warnings };
}

function addEvent(samples: Map<string, Sample>, event: Fields, losses: Losses): void {
  const id = text(event.sample_id);
  if (id === null) {
    losses.note(`event ${text(event.type) ?? "without a type"} without a sample`);
    return;
  }
  const fresh: Sample = { id, raw: null, prompt: null, sampled: null, matches: [], scores: {}, error: null };
  const sample = samples.get(id) ?? fresh;
  samples.set(id, sample);
  const data = fields(event.data);
  switch (event.type) {
    case "raw_sample":
      sample.raw = event.data ?? null;
      break;
    case "sampling":
      if (sample.prompt !== null) losses.note("other sampling events of a sample");
      else {
        sample.prompt = data.prompt ?? "";
        sample.sampled = data.sampled ?? null;
      }
      break;
    case "match":
      sample.matches.push(data);
      break;
    case "metrics":
      Object.assign(sample.scores, numbers(data));
      break;
    case "error":
      sample.error = [data.type, data.message].filter((part) => typeof part === "string").join(": ") || "error";
      break;
    default:
      losses.note(`${text(event.type) ?? "untyped"} events`);
  }
}

function statusOf(sample: Sample, passAt: number): ResultStatus {
  if (sample.error !== null) return "error";
  if (sample.matches.length > 0) return sample.matches.every((match) => match.correct === true) ? "pass" : "fail";
  const scores = "score" in sample.scores ? [sample.scores.score!] : Object.values(sample.scores);
  if (scores.length === 0) return "skipped";
  return scores.every((score) => score >= passAt) ? "pass" : "fail";
}

function resultFrom(sample: Sample, passAt: number): EvalResult {
  const status = statusOf(sample, passAt);
  const input = sample.raw ?? sample.prompt;
  const sampled = list(sample.sampled);
  const output = sampled.length === 1 ? sampled[0] : sample.sampled;
  const wrong = sample.matches.filter((match) => match.correct !== true);
  return resultOf({
    name: sample.id,
    status,
    input,
    inputSha: shaOf(input),
    output,
    error: sample.error,
    scores: {
      ...(sample.matches.length > 0 ? { correct: 1 - wrong.length / sample.matches.length } : {}),
      ...sample.scores,
    },
    failures: status !== "fail" ? [] : wrong.length > 0 ? wrong.map(mismatch) : [tooLow(sample, passAt)],
  });
}

function mismatch(match: Fields) {
  const base = { type: "deterministic", expectationType: "match", criterion: null, scores: null } as const;
  const actual = match.picked ?? match.sampled ?? null;
  return {
    ...base,
    message: "the answer does not match",
    expected: match.expected ?? null,
    actual,
    details: match.options ?? null,
  };
}

function tooLow(sample: Sample, passAt: number) {
  const low = Object.entries(sample.scores).find(([, score]) => score < passAt);
  const message = low === undefined ? "a metric is too low" : `${low[0]} is ${low[1]}`;
  const base = { type: "threshold", expectationType: "metrics", details: null } as const;
  return {
    ...base,
    message,
    criterion: low?.[0] ?? null,
    expected: `at least ${passAt}`,
    actual: number(low?.[1]),
    scores: sample.scores,
  };
}
