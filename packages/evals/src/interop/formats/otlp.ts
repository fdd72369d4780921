/**
 * OpenTelemetry's `gen_ai.evaluation.result`, as log records or as events on spans, in OTLP's JSON encoding (one document or one per line).
 *
 * One event is one criterion of one answer: events with the same response id, or else the same span, become one result with several
 * scores.
 */

import { inMegabytes } from "../../results/limits.ts";
import { refuse } from "../../results/refuse.ts";
import {
  type EvalFailure,
  type EvalResult,
  type ImportedRun,
  type ResultStatus,
  resultStatuses,
} from "../../results/result.ts";
import { fields, instant, list, number, shaOf, text } from "../fields.ts";
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
import { verdictOf } from "../verdict-words.ts";
import { readAttributes } from "./otlp-attributes.ts";

const eventName = "gen_ai.evaluation.result";

export const otlp: Importer = {
  id: "otlp",
  title: "OTLP gen_ai.evaluation.result (JSON)",
  madeBy: "an OpenTelemetry collector with the file exporter",
  carried: [
    "evaluations of one response (or span) as one result: score, label and explanation by evaluation name",
    "error.type as ERROR; service name as the suite; response model",
  ],
  lost: ["spans, logs and metrics that are not evaluations", "the answer, which is on another span"],
  counts:
    "none in the file; a result per response id passes by its label, or without a label if its score reaches the threshold",
  recognises: (head) => head.members.has("resourceLogs") || head.members.has("resourceSpans"),
  read,
};

interface Evaluation {
  readonly attributes: Record<string, unknown>;
  readonly key: string | null;
  readonly at: string | null;
}

async function* read(reading: Reading): AsyncGenerator<ImportedRun> {
  const losses = new Losses();
  const warnings: string[] = [];
  const groups = new Map<string, Evaluation[]>();
  let resource: Record<string, unknown> = {};
  let held = 0;
  let unnamed = 0;
  for await (const batch of batches(reading, warnings)) {
    if (Object.keys(resource).length === 0) resource = readAttributes(fields(batch.resource).attributes);
    for (const evaluation of evaluationsOf(batch, losses)) {
      held += JSON.stringify(evaluation.attributes).length;
      if (held > reading.limits.heldBytes) throw tooMuch(reading);
      const key = evaluation.key ?? `#${unnamed++}`;
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [evaluation]);
      else group.push(evaluation);
    }
  }
  if (groups.size === 0) {
    throw refuse(
      `${reading.source.name} contains no ${eventName} events.`,
      "Export the logs that your evaluators write them to.",
    );
  }
  const tally = new Tally();
  for (const group of groups.values()) tally.add(statusOf(group, reading.passAt));
  const first = [...groups.values()][0]![0]!;
  const run = await runOf(reading, {
    ...(text(resource["devflow.run_id"]) === null ? {} : { runId: text(resource["devflow.run_id"])! }),
    suite: text(resource["devflow.suite"]) ?? text(resource["service.name"]) ?? fileTitle(reading.source),
    ...(text(resource["devflow.label"]) === null ? {} : { label: text(resource["devflow.label"])! }),
    source: "otlp",
    totals: tally.totals,
    ...(first.at === null ? {} : { at: first.at }),
    model:
      text(resource["devflow.model"]) ??
      text(first.attributes["gen_ai.response.model"]) ??
      text(first.attributes["gen_ai.request.model"]),
    host: text(resource["host.name"]),
    gitSha: text(resource["vcs.ref.head.revision"]),
    gitBranch: text(resource["vcs.ref.head.name"]),
    extra: Object.keys(resource).length > 0 ? { resource } : {},
  });
  const results = function* (): Generator<EvalResult> {
    const repeats = new Repeats();
    for (const [key, group] of groups) yield resultFrom(key, group, reading.passAt, repeats);
  };
  yield { run, results: again(results), losses: losses.sentences, warnings };
}

/** The logs or spans of each resource, one at a time. */
async function* batches(reading: Reading, warnings: string[]) {
  const { source, limits } = reading;
  const head = new TextDecoder().decode(await source.head());
  const isLines =
    /\}[ \t]*\r?\n\s*\{\s*"resource(?:Logs|Spans)"/.test(head) || /\.(?:jsonl|ndjson)$/i.test(source.name);
  if (!isLines) {
    const plan = { resourceLogs: "stream", resourceSpans: "stream", resourceMetrics: "skip" } as const;
    for await (const part of streamJson(source.text(), plan, source.name, limits)) {
      if (part.kind === "item") yield fields(part.value);
      else warnings.push(...notNumbersWarning(part.notNumbers));
    }
    return;
  }
  for await (const line of jsonLines(source, reading)) {
    if ("fault" in line) warnings.push(line.fault);
    else {
      const document = fields(line.value);
      yield* [...list(document.resourceLogs), ...list(document.resourceSpans)].map(fields);
    }
  }
}

function* evaluationsOf(batch: Readonly<Record<string, unknown>>, losses: Losses): Generator<Evaluation> {
  for (const scope of list(batch.scopeLogs).map(fields)) {
    for (const record of list(scope.logRecords).map(fields)) {
      const attributes = readAttributes(record.attributes);
      if (record.eventName === eventName || attributes["event.name"] === eventName)
        yield evaluation(record, attributes, record.timeUnixNano);
      else losses.note("log records that are not evaluations");
    }
  }
  for (const scope of list(batch.scopeSpans).map(fields)) {
    for (const span of list(scope.spans).map(fields)) {
      for (const event of list(span.events).map(fields)) {
        if (event.name === eventName)
          yield evaluation(span, { ...readAttributes(event.attributes) }, event.timeUnixNano);
      }
      losses.note("spans");
    }
  }
}

function evaluation(
  record: Readonly<Record<string, unknown>>,
  attributes: Record<string, unknown>,
  nanoseconds: unknown,
): Evaluation {
  const span = text(record.spanId);
  const key =
    text(attributes["devflow.result_id"]) ??
    text(attributes["gen_ai.response.id"]) ??
    (span === null ? null : `${text(record.traceId) ?? ""}/${span}`);
  const time =
    typeof nanoseconds === "string" && /^\d{1,20}$/.test(nanoseconds) ? Number(BigInt(nanoseconds) / 1_000_000n) : null;
  return { attributes, key, at: time === null || time === 0 ? null : instant(time) };
}

function statusOf(group: readonly Evaluation[], passAt: number): ResultStatus {
  const ours = group.map(({ attributes }) => attributes["devflow.status"]).find((status) => status !== undefined);
  if (resultStatuses.includes(ours as ResultStatus)) return ours as ResultStatus;
  const verdicts = group.map(({ attributes }) => verdict(attributes, passAt));
  for (const status of ["error", "fail", "pass"] as const) if (verdicts.includes(status)) return status;
  return "skipped";
}

function verdict(attributes: Readonly<Record<string, unknown>>, passAt: number): ResultStatus {
  if (text(attributes["error.type"]) !== null) return "error";
  const label = verdictOf(text(attributes["gen_ai.evaluation.score.label"]) ?? "");
  if (label !== null) return label;
  const score = number(attributes["gen_ai.evaluation.score.value"]);
  return score === null ? "skipped" : score >= passAt ? "pass" : "fail";
}

function resultFrom(key: string, group: readonly Evaluation[], passAt: number, repeats: Repeats): EvalResult {
  const all: Record<string, unknown> = Object.assign({}, ...group.map(({ attributes }) => attributes));
  const status = statusOf(group, passAt);
  const name =
    text(all["devflow.case"]) ??
    text(all["test.case.name"]) ??
    (key.startsWith("#") ? (text(all["gen_ai.evaluation.name"]) ?? key) : key);
  const input = text(all["gen_ai.input.messages"]);
  const inputSha = text(all["devflow.input_sha"]) ?? shaOf(input);
  const counted = repeats.next(name, inputSha);
  const criteria = group
    .map(({ attributes }) => attributes)
    .filter((attributes) => attributes["devflow.status"] === undefined);
  return resultOf({
    name,
    status,
    input,
    inputSha,
    repeat: number(all["devflow.repeat"]) ?? counted,
    category: text(all["devflow.category"]),
    expectationsSha: text(all["devflow.expectations_sha"]),
    output: text(all["gen_ai.output.messages"]),
    error:
      status === "error"
        ? (text(all["error.message"]) ?? text(all["gen_ai.evaluation.explanation"]) ?? text(all["error.type"]))
        : null,
    failures: status === "fail" ? failuresOf(group, passAt) : [],
    scores: Object.fromEntries(criteria.flatMap(scoreOf)),
    durationMs: number(all["devflow.duration_ms"]),
    extra: Object.fromEntries(
      Object.entries(all).filter(([member]) => !/^(?:devflow|gen_ai\.evaluation)\./.test(member)),
    ),
  });
}

function scoreOf(attributes: Readonly<Record<string, unknown>>): [string, number][] {
  const score = number(attributes["gen_ai.evaluation.score.value"]);
  return score === null ? [] : [[text(attributes["gen_ai.evaluation.name"]) ?? "score", score]];
}

function failuresOf(group: readonly Evaluation[], passAt: number): EvalFailure[] {
  const failed = group.filter(({ attributes }) => verdict(attributes, passAt) === "fail");
  return failed.map(({ attributes }) => {
    const name = text(attributes["gen_ai.evaluation.name"]);
    const scores = Object.fromEntries(scoreOf(attributes));
    return {
      type: Object.keys(scores).length > 0 ? "threshold" : "deterministic",
      expectationType: name,
      message: text(attributes["gen_ai.evaluation.explanation"]) ?? `${name ?? "an evaluation"} did not pass`,
      criterion: name,
      expected: attributes["devflow.expected"] ?? null,
      actual: attributes["devflow.actual"] ?? null,
      details: null,
      scores: Object.keys(scores).length > 0 ? scores : null,
    };
  });
}

function tooMuch({ source, limits }: Reading) {
  return refuse(
    `${source.name} has more than ${inMegabytes(limits.heldBytes)} of evaluations, which must be joined in memory.`,
    "Export a shorter period.",
  );
}
