/** Converts one promptfoo result. The same record is used in JSON v2, JSON v3 and JSONL. */
import {
  type EvalFailure,
  type EvalResult,
  type ModelUsage,
  type ResultStatus,
  resultStatuses,
} from "../../results/result.ts";
import { count, type Fields, fields, list, nameFrom, number, numbers, pick, shaOf, text } from "../fields.ts";
import { type Losses, type Repeats, resultOf } from "../importer.ts";

const readMembers = new Set([
  ...[
    "cost",
    "error",
    "gradingResult",
    "id",
    "latencyMs",
    "namedScores",
    "prompt",
    "promptId",
    "promptIdx",
    "provider",
  ],
  ...[
    "response",
    "score",
    "success",
    "testCase",
    "testIdx",
    "tokenUsage",
    "vars",
    "metadata",
    "failureReason",
    "description",
  ],
]);

/** `failureReason` is 0 none, 1 assertion, 2 error; older files have only `success` and `error`. */
export function promptfooStatus(record: Fields): ResultStatus {
  const ours = fields(fields(record.metadata).devflow).status;
  if (resultStatuses.includes(ours as ResultStatus)) return ours as ResultStatus;
  if (record.failureReason === 2) return "error";
  if (record.success === true) return "pass";
  const grading = fields(record.gradingResult);
  if (judgeFailed(record)) return "error";
  if (record.failureReason === undefined && text(record.error) !== null && Object.keys(grading).length === 0)
    return "error";
  return "fail";
}

/** promptfoo counts these as failures, but a judge that did not answer says nothing about the output. */
export function judgeFailed(record: Fields): boolean {
  if (record.success === true || record.failureReason === 2) return false;
  const failed = components(record).filter((component) => component.pass !== true);
  return failed.length > 0 && failed.every((component) => fields(component.metadata).graderError === true);
}

export function promptfooResult(record: Fields, repeats: Repeats): EvalResult {
  const ours = fields(fields(record.metadata).devflow);
  const testCase = fields(record.testCase);
  const vars = Object.keys(fields(record.vars)).length > 0 ? record.vars : testCase.vars;
  const hasVars = Object.keys(fields(vars)).length > 0;
  const input = "input" in ours ? ours.input : hasVars ? vars : (text(fields(record.prompt).raw) ?? null);
  const name = text(ours.name) ?? text(testCase.description) ?? text(record.description) ?? nameFromVars(input);
  const status = promptfooStatus(record);
  const response = fields(record.response);
  const inputSha = text(ours.input_sha) ?? shaOf(input);
  const metadata = fields(record.metadata);
  const counted = repeats.next(name, inputSha);
  return resultOf({
    name,
    status,
    input,
    inputSha,
    repeat: number(ours.repeat) ?? counted,
    category: text(metadata.category) ?? text(fields(testCase.metadata).category),
    tags: list(metadata.tags).filter((tag): tag is string => typeof tag === "string"),
    expectationsSha: text(ours.expectations_sha) ?? (Array.isArray(testCase.assert) ? shaOf(testCase.assert) : null),
    output: response.output ?? null,
    error: status === "error" || status === "skipped" ? (text(record.error) ?? text(response.error)) : null,
    failures: status === "fail" ? failuresOf(record) : [],
    scores: scoresOf(record, ours),
    durationMs: number(record.latencyMs),
    cached: response.cached === true,
    usage: usageOf(record),
    extra: extraOf(record),
  });
}

export function noteLosses(record: Fields, losses: Losses): void {
  losses.unread("results[]", record, readMembers);
  if (count(fields(fields(record.gradingResult).tokensUsed).total) > 0) {
    losses.note(
      "judge tokens: promptfoo does not name the judge's model, so they cannot be priced (kept as judge_tokens)",
    );
  }
}

/** Named by the vars: a position in the file would shift when a test is inserted. */
function nameFromVars(input: unknown): string {
  if (typeof input === "string") return nameFrom(input);
  const members = Object.entries(fields(input));
  if (members.length === 0) return "unnamed";
  if (members.length === 1) return nameFrom(asText(members[0]![1]));
  return nameFrom(members.map(([name, value]) => `${name}=${asText(value)}`).join(", "));
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** An assert-set contains its own components. */
function components(record: Fields): Fields[] {
  const flat = (value: unknown, depth: number): Fields[] =>
    list(value).flatMap((item) => {
      const component = fields(item);
      const inner = list(component.componentResults);
      return inner.length > 0 && depth < 10 ? flat(inner, depth + 1) : [component];
    });
  return flat(fields(record.gradingResult).componentResults, 0);
}

function failuresOf(record: Fields): EvalFailure[] {
  const failed = components(record).filter((component) => component.pass === false);
  if (failed.length > 0) return failed.map(failureOf);
  const reason = text(fields(record.gradingResult).reason) ?? text(record.error) ?? "promptfoo gave no reason";
  return [failureOf({ reason })];
}

function failureOf(component: Fields): EvalFailure {
  const assertion = fields(component.assertion);
  const score = number(component.score);
  const criterion = text(assertion.metric);
  return {
    type: number(assertion.threshold) !== null ? "threshold" : "deterministic",
    expectationType: text(assertion.type),
    message: text(component.reason) ?? "failed",
    criterion,
    expected: assertion.value ?? assertion.threshold ?? null,
    actual: component.actual ?? null,
    details: component.details ?? null,
    scores: score === null ? null : { [criterion ?? text(assertion.type) ?? "score"]: score },
  };
}

function scoresOf(record: Fields, ours: Fields): Record<string, number> {
  if (isOurs(ours)) return numbers(record.namedScores);
  const overall = number(record.score);
  return { ...(overall === null ? {} : { score: overall }), ...numbers(record.namedScores) };
}

function isOurs(ours: Fields): boolean {
  return "status" in ours;
}

function usageOf(record: Fields): ModelUsage[] {
  const response = fields(record.response);
  const tokens = fields(response.tokenUsage ?? record.tokenUsage);
  const details = fields(tokens.completionDetails);
  const cacheReadTokens = count(details.cacheReadInputTokens);
  const cacheWriteTokens = count(details.cacheCreationInputTokens);
  const model = providerOf(record) ?? "unknown";
  const inside = cacheStandsInside(model) ? cacheReadTokens + cacheWriteTokens : 0;
  const inputTokens = Math.max(0, count(tokens.prompt) - inside);
  const outputTokens = count(tokens.completion);
  const cost = number(record.cost) ?? number(response.cost);
  const spent = inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
  if (spent === 0 && (cost === null || cost === 0)) return [];
  // promptfoo writes 0 if it has no price; only a cached answer is free.
  const costUsd = cost === 0 && response.cached !== true ? null : cost;
  return [
    {
      model,
      calls: count(tokens.numRequests) || 1,
      inputTokens,
      outputTokens,
      cacheReadTokens,
      cacheWriteTokens,
      costUsd,
    },
  ];
}

/** Anthropic reports cache tokens separately from input tokens; all others include them. */
export function cacheStandsInside(model: string): boolean {
  return !/anthropic|claude/i.test(model);
}

export function providerOf(record: Fields): string | null {
  return text(record.provider) ?? text(fields(record.provider).id);
}

/** Passing ones too: that an answer passed says little without what was asked of it. */
function assertionsOf(record: Fields): { readonly assertions?: readonly unknown[] } {
  const assertions = components(record).map((component) => ({
    type: text(fields(component.assertion).type) ?? "assertion",
    criterion: text(fields(component.assertion).metric),
    passed: component.pass === true,
    score: number(component.score),
    reason: text(component.reason) ?? "",
  }));
  return assertions.length > 0 ? { assertions } : {};
}

function extraOf(record: Fields): Record<string, unknown> {
  const { _promptfooFileMetadata, category, tags, devflow, ...metadata } = fields(record.metadata);
  const judgeTokens = fields(fields(record.gradingResult).tokensUsed);
  return {
    ...fields(fields(devflow).extra),
    ...pick(record, ["id", "promptId"]),
    ...assertionsOf(record),
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
    ...(count(judgeTokens.total) > 0 ? { judge_tokens: judgeTokens } : {}),
    ...pick(fields(record.response), ["finishReason", "isRefusal"]),
  };
}
