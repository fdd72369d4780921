/** evalite's export. It has scores from 0 to 1 and no verdict per result: a result passes if every score reaches `passAt`. */
import type { EvalFailure, EvalResult, ImportedRun, ModelUsage, ResultStatus } from "../../results/result.ts";
import { count, type Fields, fields, instant, list, nameFrom, number, pick, shaOf, text } from "../fields.ts";
import {
  again,
  fileTitle,
  type Importer,
  Losses,
  notNumbersWarning,
  type Reading,
  Repeats,
  resultOf,
  runIdentity,
  runOf,
  Tally,
} from "../importer.ts";
import { streamJson } from "../json-stream.ts";
import { evaliteTables } from "./evalite-tables.ts";

const shared = {
  carried: [
    "each eval (and variant) as a suite, each result with input, output, expected, all scores with their descriptions",
    "a result that threw as ERROR, trial as repeat, durations, tokens from the traces",
  ],
  lost: ["traces, except their tokens", "rendered columns", "files next to the export"],
  counts:
    "evalite counts results and their mean score, not passes; results with status fail threw an exception, and are errors here",
} as const;

export const evaliteJson: Importer = {
  id: "evalite",
  title: "evalite JSON",
  madeBy: "evalite --outputPath results.json",
  ...shared,
  recognises: (head) => head.members.has("evals") && (head.members.has("run") || head.members.has("run.runType")),
  read: (reading) => readEvals(reading, () => exported(reading)),
};

export const evaliteDatabase: Importer = {
  id: "evalite-sqlite",
  title: "evalite's SQLite store",
  madeBy: "evalite (node_modules/.evalite/cache.sqlite)",
  ...shared,
  recognises: (head) => head.kind === "sqlite",
  read: (reading) => readEvals(reading, () => evaliteTables(reading)),
};

/** One eval of one run: `run` holds id and time. */
export interface EvaliteEval {
  readonly run: Fields;
  readonly eval: Fields;
  readonly notNumbers: number;
}

/** Every export has the run before its evals; otherwise the evals get the file's time. */
async function* exported(reading: Reading): AsyncGenerator<EvaliteEval> {
  const { source, limits } = reading;
  let run: Fields = {};
  for await (const part of streamJson(source.text(), { evals: "skip" }, source.name, limits)) {
    if (part.kind === "rest") run = fields(fields(part.value).run);
  }
  let notNumbers = 0;
  for await (const part of streamJson(source.text(), { evals: "stream" }, source.name, limits)) {
    if (part.kind === "item") yield { run, eval: fields(part.value), notNumbers: 0 };
    else notNumbers += part.notNumbers;
  }
  if (notNumbers > 0) yield { run, eval: {}, notNumbers };
}

async function* readEvals(reading: Reading, evals: () => AsyncGenerator<EvaliteEval>): AsyncGenerator<ImportedRun> {
  const identity = await runIdentity(reading);
  let index = 0;
  for await (const { run, eval: one, notNumbers } of evals()) {
    if (notNumbers > 0 && Object.keys(one).length === 0) continue;
    yield await importEval(reading, run, one, `${ownIdentity(run) ?? identity}#${index}`);
    index += 1;
  }
}

function ownIdentity(run: Fields): string | null {
  const id = number(run.id) ?? text(run.id);
  const at = text(run.createdAt) ?? text(run.created_at);
  // evalite numbers runs from 1 on each machine; the time makes the id unique.
  return id === null || at === null ? null : `evalite-${id}-${at}`;
}

async function importEval(reading: Reading, run: Fields, one: Fields, runId: string): Promise<ImportedRun> {
  const tally = new Tally();
  const losses = new Losses();
  const records = list(one.results).map(fields);
  for (const record of records) {
    tally.add(statusOf(record, reading.passAt));
    losses.note("results[].traces", list(record.traces).length);
    if (record.renderedColumns ?? record.rendered_columns) losses.note("results[].renderedColumns");
  }
  const variant = text(one.variantName);
  const name = text(one.name) ?? fileTitle(reading.source);
  const began = instant(run.createdAt) ?? instant(run.created_at);
  const imported = await runOf(reading, {
    runId,
    suite: variant === null ? name : `${name} [${variant}]`,
    source: "evalite",
    totals: tally.totals,
    ...(began === null ? {} : { at: began }),
    durationMs: number(one.duration),
    extra: { ...pick(one, ["filepath", "variantName", "averageScore"]), ...pick(run, ["runType"]) },
  });
  const results = function* (): Generator<EvalResult> {
    const repeats = new Repeats();
    for (const record of records) yield resultFrom(record, reading.passAt, repeats);
  };
  return { run: imported, results: again(results), losses: losses.sentences, warnings: notNumbersWarning(0) };
}

/** evalite's status says whether the task finished. */
function statusOf(record: Fields, passAt: number): ResultStatus {
  if (record.status === "fail") return "error";
  const scores = list(record.scores).map((score) => number(fields(score).score));
  if (record.status === "running" || scores.length === 0) return "skipped";
  return scores.every((score) => score !== null && score >= passAt) ? "pass" : "fail";
}

function resultFrom(record: Fields, passAt: number, repeats: Repeats): EvalResult {
  const input = record.input ?? null;
  const inputSha = shaOf(input);
  const name = nameFrom(typeof input === "string" ? input : JSON.stringify(input));
  const status = statusOf(record, passAt);
  const scores = list(record.scores).map(fields);
  const counted = repeats.next(name, inputSha);
  return resultOf({
    name,
    status,
    input,
    inputSha,
    repeat: number(record.trialIndex) ?? counted,
    output: status === "error" ? null : (record.output ?? null),
    error: status === "error" ? errorText(record.output) : null,
    failures:
      status === "fail"
        ? scores.filter((score) => (number(score.score) ?? 0) < passAt).map((score) => failureOf(score, record))
        : [],
    scores: Object.fromEntries(
      scores.flatMap((score) => (number(score.score) === null ? [] : [[String(score.name), number(score.score)!]])),
    ),
    durationMs: number(record.duration),
    usage: usageOf(record),
    extra: pick(record, ["expected"]),
  });
}

/** For a task that threw, the output is the error. */
function errorText(output: unknown): string {
  return text(output) ?? text(fields(output).message) ?? "the task threw";
}

function failureOf(score: Fields, record: Fields): EvalFailure {
  const name = text(score.name);
  const value = number(score.score);
  return {
    type: "threshold",
    expectationType: name,
    message: text(score.description) ?? `${name ?? "a scorer"} gave ${value ?? "no score"}`,
    criterion: name,
    expected: record.expected ?? null,
    actual: record.output ?? null,
    details: score.metadata ?? null,
    scores: name === null || value === null ? null : { [name]: value },
  };
}

function usageOf(record: Fields): ModelUsage[] {
  const traces = list(record.traces).map(fields);
  const inputTokens = traces.reduce((sum, trace) => sum + count(trace.inputTokens ?? trace.input_tokens), 0);
  const outputTokens = traces.reduce((sum, trace) => sum + count(trace.outputTokens ?? trace.output_tokens), 0);
  if (inputTokens + outputTokens === 0) return [];
  return [
    {
      model: "unknown",
      calls: traces.length,
      inputTokens,
      outputTokens,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      costUsd: null,
    },
  ];
}
