/** DeepEval's `test_run_*.json`. A metric that could not be computed is a judge error, not a failure of the app. */
import type {
  EvalFailure,
  EvalResult,
  ImportedRun,
  JudgeIdentity,
  ModelUsage,
  ResultStatus,
} from "../../results/result.ts";
import { count, type Fields, fields, instant, list, number, pick, shaOf, text, texts } from "../fields.ts";
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
import { streamJson } from "../json-stream.ts";

const readMembers = new Set([
  ...["name", "input", "actualOutput", "expectedOutput", "context", "retrievalContext", "toolsCalled", "expectedTools"],
  ...[
    "tokenCost",
    "completionTime",
    "tags",
    "flaky",
    "success",
    "metricsData",
    "runDuration",
    "evaluationCost",
    "order",
    "metadata",
  ],
  ...[
    "comments",
    "scenario",
    "expectedOutcome",
    "userDescription",
    "chatbotRole",
    "turns",
    "customColumnKeyValues",
    "additionalMetadata",
  ],
]);

export const deepeval: Importer = {
  id: "deepeval",
  title: "DeepEval test run",
  madeBy: "DEEPEVAL_RESULTS_FOLDER=results deepeval test run test_app.py",
  carried: [
    "test cases and conversational test cases with input, output, expected output, contexts, tools",
    "every metric's score; reason and threshold of failed metrics",
    "a metric's error as ERROR; judge models with thresholds; completion time, cost",
  ],
  lost: ["traces and their span metrics", "reasons of passing metrics", "hyperparameters and prompts"],
  counts:
    "testPassed and testFailed; testFailed = failed + errors, because DeepEval counts a broken metric as a failure",
  recognises: (head) =>
    head.members.has("testCases") &&
    (["testPassed", "metricsScores", "testFile"].some((path) => head.members.has(path)) ||
      head.text.includes('"metricsData"')),
  read: readTestRun,
};

async function* readTestRun(reading: Reading): AsyncGenerator<ImportedRun> {
  const { source, limits } = reading;
  const plan = { testCases: "stream", conversationalTestCases: "stream", traces: "skip" } as const;
  const parts = () => streamJson(source.text(), plan, source.name, limits);
  const tally = new Tally();
  const losses = new Losses();
  const judges = new Map<string, JudgeIdentity>();
  const warnings: string[] = [];
  let header: Fields = {};
  for await (const part of parts()) {
    if (part.kind === "rest") {
      header = fields(part.value);
      warnings.push(...notNumbersWarning(part.notNumbers));
      continue;
    }
    const record = fields(part.value);
    tally.add(statusOf(record));
    losses.unread("testCases[]", record, readMembers);
    for (const metric of metricsOf(record)) noteJudge(judges, metric);
  }
  const { totals } = tally;
  const said = number(header.testFailed);
  if (said !== null && (said !== totals.failed + totals.errors || number(header.testPassed) !== totals.passed)) {
    warnings.push(
      `DeepEval says that ${header.testPassed} passed and ${said} failed, its cases ${totals.passed} and ${totals.failed + totals.errors}; the cases are used`,
    );
  }
  if (totals.errors > 0) {
    warnings.push(
      `${totals.errors} case(s) that DeepEval counts as failed are errors here, because a metric could not be computed`,
    );
  }
  for (const member of ["hyperparameters", "prompts", "metricsScores"]) {
    if (list(header[member]).length > 0 || Object.keys(fields(header[member])).length > 0) losses.note(member);
  }
  const seconds = number(header.runDuration);
  const run = await runOf(reading, {
    suite: text(header.testFile) ?? fileTitle(source),
    source: "deepeval",
    totals,
    ...(text(header.testRunId) === null ? {} : { runId: text(header.testRunId)! }),
    ...(instant(header.createdAt) === null ? {} : { at: instant(header.createdAt)! }),
    durationMs: seconds === null ? null : Math.round(seconds * 1000),
    judges: [...judges.values()],
    extra: pick(header, ["evaluationCost", "identifier", "datasetAlias", "datasetId"]),
  });
  const results = async function* () {
    const repeats = new Repeats();
    for await (const part of parts()) if (part.kind === "item") yield resultFrom(fields(part.value), repeats);
  };
  yield { run, results: again(results), losses: losses.sentences, warnings };
}

function statusOf(record: Fields): ResultStatus {
  if (record.success === true) return "pass";
  const failed = metricsOf(record).filter((metric) => metric.success !== true);
  const broke = failed.length > 0 && failed.every((metric) => text(metric.error) !== null);
  return broke ? "error" : "fail";
}

function resultFrom(record: Fields, repeats: Repeats): EvalResult {
  const turns = list(record.turns);
  const input = record.input ?? record.scenario ?? (turns.length > 0 ? turns : null);
  const name = text(record.name) ?? text(record.input) ?? "unnamed";
  const inputSha = shaOf(input);
  const status = statusOf(record);
  const metrics = metricsOf(record);
  const seconds = number(record.completionTime) ?? number(record.runDuration);
  return resultOf({
    name,
    status,
    input,
    inputSha,
    repeat: repeats.next(name, inputSha),
    tags: texts(record.tags),
    output: record.actualOutput ?? null,
    expectationsSha: shaOf(
      metrics.map((metric) => [metric.name ?? null, metric.threshold ?? null, metric.strictMode ?? null]),
    ),
    error:
      status === "error"
        ? metrics
            .map((metric) => text(metric.error))
            .filter(Boolean)
            .join("\n")
        : null,
    failures:
      status === "fail"
        ? metrics.filter((metric) => metric.success !== true).map((metric) => failureOf(metric, record))
        : [],
    scores: Object.fromEntries(metrics.flatMap((metric) => scoreOf(metric))),
    durationMs: seconds === null ? null : Math.round(seconds * 1000),
    turns: turns.length > 0 ? turns.length : null,
    usage: usageOf(metrics, record),
    extra: pick(record, [
      ...[
        "expectedOutput",
        "context",
        "retrievalContext",
        "toolsCalled",
        "expectedTools",
        "metadata",
        "additionalMetadata",
      ],
      ...["comments", "flaky", "expectedOutcome", "tokenCost"],
    ]),
  });
}

function metricsOf(record: Fields): Fields[] {
  return list(record.metricsData).map(fields);
}

function scoreOf(metric: Fields): [string, number][] {
  const name = text(metric.name);
  const score = number(metric.score);
  return name === null || score === null ? [] : [[name, score]];
}

function failureOf(metric: Fields, record: Fields): EvalFailure {
  const scores = Object.fromEntries(scoreOf(metric));
  return {
    type: "threshold",
    expectationType: text(metric.name),
    message: text(metric.reason) ?? text(metric.error) ?? `${text(metric.name) ?? "a metric"} did not pass`,
    criterion: text(metric.name),
    expected: record.expectedOutput ?? (number(metric.threshold) === null ? null : `at least ${metric.threshold}`),
    actual: number(metric.score),
    details: pick(metric, ["threshold", "evaluationModel", "strictMode", "error"]),
    scores: Object.keys(scores).length > 0 ? scores : null,
  };
}

function noteJudge(judges: Map<string, JudgeIdentity>, metric: Fields): void {
  const model = text(metric.evaluationModel);
  if (model === null) return;
  // DeepEval does not write the rubric, so metrics are distinguished by name.
  const judge = { model, rubricSha: shaOf(metric.name ?? null), threshold: number(metric.threshold) };
  judges.set(JSON.stringify(judge), judge);
}

/** The cost of judging, by judge model; the app's own calls are not in the file, except for `tokenCost`. */
function usageOf(metrics: readonly Fields[], record: Fields): ModelUsage[] {
  const judged = metrics.flatMap((metric) => {
    const model = text(metric.evaluationModel);
    const cost = number(metric.evaluationCost);
    const inputTokens = count(metric.inputTokenCount);
    const outputTokens = count(metric.outputTokenCount);
    if (model === null || (cost === null && inputTokens + outputTokens === 0)) return [];
    return [{ model, calls: 1, inputTokens, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: cost }];
  });
  const paid = number(record.tokenCost);
  const app = {
    model: "unknown",
    calls: 1,
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    costUsd: paid,
  };
  return paid === null ? judged : [app, ...judged];
}
