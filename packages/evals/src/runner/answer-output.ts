/**
 * A provider's answer as the output of a case.
 *
 * - `outputOf(answer, cell)` with its usage in the result format; JSON is parsed if the prompt asked for it.
 */
import type { CaseOutput } from "../check/index.ts";
import type { AnswerDetails } from "../providers/app-answer.ts";
import type { ProviderAnswer } from "../providers/provider.ts";
import type { MatrixCell } from "./plan-matrix.ts";

export function outputOf(answer: ProviderAnswer, { provider, prompt, spec }: MatrixCell): CaseOutput {
  const { output, tokens, costUsd, latencyMs, raw } = answer;
  const { turns, model: reported } = (raw ?? {}) as AnswerDetails;
  const model = provider.model ?? reported ?? spec.id;
  const usage = {
    model,
    calls: 1,
    input_tokens: tokens?.input ?? 0,
    output_tokens: tokens?.output ?? 0,
    cache_read_tokens: tokens?.cacheRead ?? 0,
    cache_write_tokens: tokens?.cacheWrite ?? 0,
    input_includes_cache: false,
    cost_usd: costUsd ?? null,
  };
  return {
    output: prompt.output === "json" && typeof output === "string" ? parsed(output) : output,
    durationMs: latencyMs,
    turns,
    usage: tokens || costUsd !== undefined ? [usage] : [],
  };
}

/** Also inside a code fence. Anything but an object or a list stays text, and expectations of its members fail. */
function parsed(text: string): unknown {
  const fenced = /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(text)?.[1];
  try {
    const value: unknown = JSON.parse(fenced ?? text);
    return typeof value === "object" && value !== null ? value : text;
  } catch {
    return text;
  }
}
