/**
 * Reads one Inspect sample, from its full record or from the summary that a crashed run left.
 *
 * Inspect gives scores and no verdict. Of the letters, only C (correct) passes; P, I and N do not. Numbers pass from `passAt`. With
 * several scorers, all must pass. A sample without scores is skipped, not failed.
 */
import {
  type EvalFailure,
  type EvalResult,
  type ModelUsage,
  type ResultStatus,
  resultStatuses,
} from "../../results/result.ts";
import { count, type Fields, fields, list, number, pick, shaOf, text } from "../fields.ts";
import { resultOf } from "../importer.ts";

export const unreadOfSample = ["events", "store", "attachments", "timelines", "events_data", "error_retries"] as const;

export function inspectStatus(sample: Fields, passAt: number): ResultStatus {
  const ours = fields(fields(sample.metadata).devflow).status;
  if (resultStatuses.includes(ours as ResultStatus)) return ours as ResultStatus;
  if (errorOf(sample) !== null) return "error";
  if (sample.invalidation !== undefined && sample.invalidation !== null) return "skipped";
  const scores = Object.values(fields(sample.scores));
  if (scores.length === 0) return "skipped";
  return scores.every((score) => passes(fields(score).value, passAt)) ? "pass" : "fail";
}

export function inspectResult(sample: Fields, passAt: number): EvalResult {
  const id = typeof sample.id === "number" ? String(sample.id) : (text(sample.id) ?? "unnamed");
  const status = inspectStatus(sample, passAt);
  const { devflow, ...metadata } = fields(sample.metadata);
  const ours = fields(devflow);
  const input = "input" in ours ? ours.input : inputOf(sample);
  const output = completionOf(sample);
  const seconds = number(sample.working_time) ?? number(sample.total_time);
  return resultOf({
    name: id,
    status,
    input,
    inputSha: "input_sha" in ours ? text(ours.input_sha) : shaOf(input),
    repeat: Math.max(0, (number(sample.epoch) ?? 1) - 1),
    category: text(metadata.category),
    expectationsSha: sample.target === undefined ? null : shaOf(sample.target),
    output,
    error: errorOf(sample),
    failures: status === "fail" ? failuresOf(sample, passAt, output) : [],
    scores: scoresOf(sample),
    durationMs: seconds === null ? null : Math.round(seconds * 1000),
    turns: turnsOf(sample),
    usage: usagesOf(sample.model_usage),
    extra: {
      ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
      ...pick(sample, [
        "uuid",
        "target",
        "choices",
        "limit",
        "limit_reason",
        "invalidation",
        "started_at",
        "completed_at",
      ]),
    },
  });
}

/** In a sample, an object with the traceback; in a summary, only the message. */
function errorOf(sample: Fields): string | null {
  return text(sample.error) ?? text(fields(sample.error).message);
}

/** Message ids are new in each run, so only role and content are used. */
function inputOf(sample: Fields): unknown {
  if (!Array.isArray(sample.input)) return withAttachments(sample, sample.input ?? null);
  return sample.input.map((message) => {
    const { role, content, tool_calls } = fields(message);
    return { role, content: withAttachments(sample, content), ...(tool_calls === undefined ? {} : { tool_calls }) };
  });
}

function withAttachments(sample: Fields, value: unknown): unknown {
  const reference = typeof value === "string" ? /^attachment:\/\/(\w+)$/.exec(value) : null;
  return reference === null ? value : (fields(sample.attachments)[reference[1]!] ?? value);
}

function completionOf(sample: Fields): unknown {
  const output = fields(sample.output);
  const message = fields(fields(list(output.choices)[0]).message);
  if (text(output.completion) !== null) return output.completion;
  if (typeof message.content === "string") return message.content;
  const parts = list(message.content)
    .map((part) => text(fields(part).text))
    .filter((part) => part !== null);
  return parts.length > 0 ? parts.join("\n") : null;
}

function passes(value: unknown, passAt: number): boolean {
  if (value === "P") return false;
  if (Array.isArray(value)) return value.length > 0 && value.every((item) => passes(item, passAt));
  if (typeof value === "object" && value !== null) return passes(Object.values(value), passAt);
  const score = scoreOf(value);
  return score !== null && score >= (typeof value === "number" ? passAt : 1);
}

/** Inspect's own values: C is 1, P one half, I and N 0; and the words for yes and no. */
function scoreOf(value: unknown): number | null {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "string") return number(value);
  const known: Record<string, number> = { C: 1, P: 0.5, I: 0, N: 0, yes: 1, true: 1, no: 0, false: 0 };
  const found = known[value] ?? known[value.toLowerCase()];
  if (found !== undefined) return found;
  return value.trim() === "" ? null : number(Number(value));
}

function scoresOf(sample: Fields): Record<string, number> {
  const scores: Record<string, number> = {};
  const add = (name: string, value: unknown, depth: number): void => {
    if (typeof value === "object" && value !== null && depth < 3) {
      for (const [member, item] of Object.entries(value)) add(`${name}.${member}`, item, depth + 1);
      return;
    }
    const score = scoreOf(value);
    if (score !== null) scores[name] = score;
  };
  for (const [name, score] of Object.entries(fields(sample.scores))) add(name, fields(score).value, 0);
  return scores;
}

function failuresOf(sample: Fields, passAt: number, output: unknown): EvalFailure[] {
  return Object.entries(fields(sample.scores))
    .filter(([, score]) => !passes(fields(score).value, passAt))
    .map(([name, given]) => {
      const score = fields(given);
      const value = scoreOf(score.value);
      return {
        type: typeof score.value === "number" ? "threshold" : "deterministic",
        expectationType: name,
        message: [`${name} gave ${JSON.stringify(score.value ?? null)}`, text(score.explanation)]
          .filter(Boolean)
          .join(": "),
        criterion: name,
        expected: sample.target ?? null,
        actual: score.answer ?? output,
        details: score.metadata ?? null,
        scores: value === null ? null : { [name]: value },
      };
    });
}

function turnsOf(sample: Fields): number | null {
  const messages = list(sample.messages);
  if (messages.length > 0) return messages.filter((message) => fields(message).role === "assistant").length;
  return null;
}

export function usagesOf(usage: unknown): ModelUsage[] {
  return Object.entries(fields(usage)).map(([model, given]) => {
    const tokens = fields(given);
    return {
      model,
      calls: 1,
      inputTokens: count(tokens.input_tokens),
      outputTokens: count(tokens.output_tokens),
      cacheReadTokens: count(tokens.input_tokens_cache_read),
      cacheWriteTokens: count(tokens.input_tokens_cache_write),
      costUsd: number(tokens.total_cost),
    };
  });
}
