/**
 * One result with its texts, and two results side by side.
 *
 * - `resultView(store, ref, ordinal)`, `outputsView(store, a, b)`.
 *
 * Long texts are cut, so that a browser can show the page.
 */
import type { EvalOutputs, EvalResultDetail, EvalText } from "@devflow/protocol";
import { wordDiff } from "../compare/index.ts";
import { caseKey } from "../results/identity.ts";
import type { EvalFailure, EvalResult } from "../results/result.ts";
import type { EvalStore } from "../store/index.ts";
import { lineView, refOf } from "./run-line.ts";

export interface ResultPlace {
  readonly run: string;
  readonly ordinal: number;
}

const [mostText, mostShort, mostDiff] = [100_000, 10_000, 40_000];
const mostFailures = 50;

export async function resultView(store: EvalStore, { run: ref, ordinal }: ResultPlace): Promise<EvalResultDetail> {
  const { line } = await store.run(ref);
  const result = await store.result(refOf(line), ordinal);
  return {
    run: lineView(line),
    ordinal,
    caseKey: caseKey(result.name, result.inputSha),
    name: result.name.slice(0, 2000),
    category: result.category,
    tags: [...result.tags].slice(0, 100),
    status: result.status,
    repeat: result.repeat,
    durationMs: result.durationMs,
    turns: result.turns,
    cached: result.cached,
    scores: Object.fromEntries(Object.entries(result.scores).slice(0, 200)),
    error: result.error === null ? null : cut(result.error, mostShort),
    failures: result.failures.slice(0, mostFailures).map(failureView),
    assertions: assertionsOf(result),
    input: textOf(result.input, mostText),
    ...outputOf(result),
    votes: votesOf(result).slice(0, 50),
    usage: result.usage.slice(0, 50).map(({ extra: _extra, ...usage }) => usage),
  };
}

export async function outputsView(store: EvalStore, a: ResultPlace, b: ResultPlace): Promise<EvalOutputs> {
  const [one, other] = [await resultView(store, a), await resultView(store, b)];
  const changes =
    one.output && other.output
      ? wordDiff(one.output.text.slice(0, mostDiff), other.output.text.slice(0, mostDiff))
      : null;
  return { a: one, b: other, changes };
}

function outputOf({ output, responsePreview }: EvalResult): Pick<EvalResultDetail, "output" | "rest"> {
  if (typeof output === "object" && output !== null && "response" in output && typeof output.response === "string") {
    const { response, ...rest } = output;
    return { output: textOf(response, mostText), rest: Object.keys(rest).length > 0 ? textOf(rest, mostText) : null };
  }
  return { output: textOf(output ?? responsePreview, mostText), rest: null };
}

function textOf(value: unknown, most = mostShort): EvalText | null {
  if (value === null || value === undefined) return null;
  return cut(typeof value === "string" ? value : JSON.stringify(value, null, 2), most);
}

function cut(text: string, most: number): EvalText {
  return { text: text.slice(0, most), isCut: text.length > most };
}

function failureView({ type, expectationType, criterion, message, expected, actual }: EvalFailure) {
  return {
    type,
    expectationType,
    criterion,
    message: message.slice(0, mostShort),
    expected: textOf(expected),
    actual: textOf(actual),
  };
}

/** Assertions as importers keep them; anything else is ignored. */
function assertionsOf({ extra }: EvalResult): EvalResultDetail["assertions"] {
  const given = Array.isArray(extra.assertions) ? extra.assertions.slice(0, 200) : [];
  return given.flatMap((one: unknown) => {
    const { type, criterion, passed, score, reason } = (one ?? {}) as Record<string, unknown>;
    if (typeof type !== "string" || typeof passed !== "boolean") return [];
    return {
      type,
      criterion: typeof criterion === "string" ? criterion : null,
      passed,
      score: typeof score === "number" && Number.isFinite(score) ? score : null,
      reason: typeof reason === "string" ? reason.slice(0, mostShort) : "",
    };
  });
}

export interface Vote {
  readonly model: string;
  readonly profile: string | null;
  readonly expectationType: string | null;
  readonly scores: Record<string, number>;
  readonly reasons: Record<string, string>;
}

/** Votes as `eval check` writes them; anything else is ignored. */
export function votesOf({ extra }: Pick<EvalResult, "extra">): Vote[] {
  const given = extra.judge_votes;
  if (!Array.isArray(given)) return [];
  return given.flatMap((one: unknown) => {
    if (typeof one !== "object" || one === null) return [];
    const { model, profile, expectation_type: type, scores, reasons } = one as Record<string, unknown>;
    if (typeof model !== "string") return [];
    const text = (value: unknown) => (typeof value === "string" ? value : null);
    return {
      model,
      profile: text(profile),
      expectationType: text(type),
      scores: only(scores, (score): score is number => typeof score === "number" && Number.isFinite(score)),
      reasons: only(reasons, (reason): reason is string => typeof reason === "string"),
    };
  });
}

function only<T>(given: unknown, is: (value: unknown) => value is T): Record<string, T> {
  if (typeof given !== "object" || given === null) return {};
  return Object.fromEntries(Object.entries(given).filter((entry): entry is [string, T] => is(entry[1])));
}
