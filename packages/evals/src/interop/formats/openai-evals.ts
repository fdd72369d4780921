/** Items of OpenAI's Evals API, as JSONL or as the API's list. */
import type { EvalFailure, EvalResult, ImportedRun, ModelUsage, ResultStatus } from "../../results/result.ts";
import { count, type Fields, fields, instant, list, nameFrom, number, numbers, pick, shaOf, text } from "../fields.ts";
import {
  again,
  fileTitle,
  type Importer,
  Losses,
  notNumbersWarning,
  type Reading,
  Repeats,
  resultOf,
  runOf,
  Tally,
} from "../importer.ts";
import { jsonLines } from "../json-lines.ts";
import { streamJson } from "../json-stream.ts";

export const openaiItems: Importer = {
  id: "openai-evals",
  title: "OpenAI Evals API items",
  madeBy: "GET /v1/evals/{eval}/runs/{run}/output_items, or the dashboard's export",
  carried: [
    "every item as input, each grader's score and verdict, the sample's output, error, model and tokens",
    "several runs in one file as separate runs",
  ],
  lost: ["the graders' conversations", "sampling parameters"],
  counts:
    "an item passes if every grader passes (passes, or results[].passed); the API's result_counts are in the run, not in the items",
  recognises: (head) =>
    (head.members.has("data_source_idx") && (head.members.has("passes") || head.members.has("grades"))) ||
    head.text.includes('"eval.run.output_item"'),
  read: readItems,
};

interface Group {
  readonly key: string;
  readonly tally: Tally;
  readonly first: Fields;
}

async function* itemsOf(reading: Reading, warnings: string[]): AsyncGenerator<Fields> {
  const { source, limits } = reading;
  const head = (await source.head()).subarray(0, 4096);
  if (/"object"\s*:\s*"list"/.test(new TextDecoder().decode(head))) {
    for await (const part of streamJson(source.text(), { data: "stream" }, source.name, limits)) {
      if (part.kind === "item") yield fields(part.value);
      else warnings.push(...notNumbersWarning(part.notNumbers));
    }
    return;
  }
  let notNumbers = 0;
  for await (const line of jsonLines(source, reading)) {
    if ("fault" in line) warnings.push(line.fault);
    else {
      notNumbers += line.notNumbers;
      yield fields(line.value);
    }
  }
  warnings.push(...notNumbersWarning(notNumbers));
}

async function* readItems(reading: Reading): AsyncGenerator<ImportedRun> {
  const groups = new Map<string, Group>();
  const warnings: string[] = [];
  const losses = new Losses();
  for await (const item of itemsOf(reading, warnings)) {
    const key = text(item.run_id) ?? "";
    const group = groups.get(key) ?? { key, tally: new Tally(), first: item };
    groups.set(key, group);
    group.tally.add(statusOf(item));
    if (item.grader_samples !== undefined) losses.note("grader_samples");
    if (list(item.results).some((result) => fields(result).sample)) losses.note("results[].sample");
  }
  for (const group of groups.values()) {
    const sample = fields(group.first.sample);
    const began = instant(group.first.created_at);
    const run = await runOf(reading, {
      ...(group.key === "" ? {} : { runId: group.key }),
      suite: text(group.first.eval_id) ?? fileTitle(reading.source),
      source: "openai-evals",
      totals: group.tally.totals,
      model: text(sample.model),
      ...(began === null ? {} : { at: began }),
    });
    const results = async function* () {
      const repeats = new Repeats();
      for await (const item of itemsOf(reading, [])) {
        if ((text(item.run_id) ?? "") === group.key) yield resultFrom(item, repeats);
      }
    };
    yield { run, results: again(results), losses: losses.sentences, warnings };
  }
}

interface Grade {
  readonly name: string;
  readonly score: number | null;
  readonly passed: boolean;
}

function gradesOf(item: Fields): Grade[] {
  if (Array.isArray(item.results)) {
    return item.results.map((given) => {
      const result = fields(given);
      return { name: text(result.name) ?? "grader", score: number(result.score), passed: result.passed === true };
    });
  }
  const scores = numbers(item.grades);
  return Object.entries(fields(item.passes)).map(([name, passed]) => ({
    name,
    score: scores[name] ?? null,
    passed: passed === true,
  }));
}

function errorOf(item: Fields): string | null {
  const error = fields(item.sample).error ?? item.error;
  const { message, code } = fields(error);
  return text(error) ?? text(message) ?? text(code);
}

function statusOf(item: Fields): ResultStatus {
  if (errorOf(item) !== null || item.status === "error" || item.status === "errored") return "error";
  const grades = gradesOf(item);
  if (grades.length > 0) return grades.every((grade) => grade.passed) ? "pass" : "fail";
  if (item.status === "pass" || item.status === "fail") return item.status;
  return "skipped";
}

function resultFrom(item: Fields, repeats: Repeats): EvalResult {
  const input = item.item ?? item.datasource_item ?? null;
  const inputSha = shaOf(input);
  const asked = fields(input);
  const name = nameOf(asked.name ?? asked.input ?? asked.question ?? asked.prompt, input);
  const status = statusOf(item);
  const grades = gradesOf(item);
  const sample = fields(item.sample);
  const output = sample.output_text ?? fields(list(sample.output)[0]).content ?? null;
  return resultOf({
    name,
    status,
    input,
    inputSha,
    repeat: repeats.next(name, inputSha),
    category: text(asked.category) ?? text(asked.expected_category),
    output,
    error: status === "error" ? (errorOf(item) ?? "the item has status error") : null,
    failures:
      status === "fail" ? grades.filter((grade) => !grade.passed).map((grade) => failureOf(grade, asked, output)) : [],
    scores: Object.fromEntries(grades.flatMap(({ name: grader, score }) => (score === null ? [] : [[grader, score]]))),
    usage: usageOf(sample),
    extra: {
      ...pick(item, ["id", "data_source_idx", "datasource_item_id", "eval_id"]),
      ...pick(sample, ["finish_reason"]),
    },
  });
}

function nameOf(asked: unknown, input: unknown): string {
  return nameFrom(text(asked) ?? (input === null ? "" : JSON.stringify(input)));
}

function failureOf(grade: Grade, asked: Fields, output: unknown): EvalFailure {
  return {
    type: grade.score === null ? "deterministic" : "threshold",
    expectationType: grade.name,
    message: `${grade.name} did not pass${grade.score === null ? "" : ` (score ${grade.score})`}`,
    criterion: grade.name,
    expected: asked.expected_answer ?? asked.expected ?? asked.reference ?? asked.ideal ?? null,
    actual: output,
    details: null,
    scores: grade.score === null ? null : { [grade.name]: grade.score },
  };
}

function usageOf(sample: Fields): ModelUsage[] {
  const usage = fields(sample.usage);
  const model = text(sample.model);
  if (model === null || Object.keys(usage).length === 0) return [];
  return [
    {
      model,
      calls: 1,
      // OpenAI includes cached tokens in prompt tokens; here they are separate.
      inputTokens: Math.max(0, count(usage.prompt_tokens ?? usage.input_tokens) - count(usage.cached_tokens)),
      outputTokens: count(usage.completion_tokens ?? usage.output_tokens),
      cacheReadTokens: count(usage.cached_tokens),
      cacheWriteTokens: 0,
      costUsd: null,
    },
  ];
}
