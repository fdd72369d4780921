/** OpenAI chat completions: the format of an answer, streamed and not. */
import { randomUUID } from "node:crypto";
import type { Answer } from "./scenario.ts";
import { errorWords, type WireAnswer, type WireError, type WireFrame, wholeText } from "./wire-answer.ts";

export function chatAnswer(answer: Answer, model: string): WireAnswer {
  const base = { id: `chatcmpl-${identifier()}`, created: 0, model };
  const usage = usageOf(answer);
  const finish = answer.stopReason ?? (answer.tools ? "tool_calls" : "stop");
  const calls = (answer.tools ?? []).map(({ id, name, arguments: given, input }) => ({
    id: id ?? `call_${identifier()}`,
    type: "function",
    function: { name, arguments: given ? JSON.stringify(given) : input },
  }));
  const frames: WireFrame[] = [];
  const add = (delta: object, rest: object = {}, afterMs = 0, isClosing = false) =>
    frames.push({
      text: event({
        ...base,
        object: "chat.completion.chunk",
        choices: [{ index: 0, delta, finish_reason: null, ...rest }],
      }),
      afterMs,
      isClosing,
    });
  add({ role: "assistant", content: "" });
  for (const { text, afterMs } of answer.text ?? []) add({ content: text }, {}, afterMs);
  for (const [index, call] of calls.entries()) add({ tool_calls: [{ index, ...call }] });
  add({}, { finish_reason: finish }, 0, true);
  frames.push({
    text: event({ ...base, object: "chat.completion.chunk", choices: [], usage }),
    afterMs: 0,
    isClosing: true,
  });
  frames.push({ text: "data: [DONE]\n\n", afterMs: 0, isClosing: true });
  const message = {
    role: "assistant",
    content: answer.text ? wholeText(answer) : null,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  const body = { ...base, object: "chat.completion", choices: [{ index: 0, message, finish_reason: finish }], usage };
  return { frames, body };
}

export function chatError(answer: Answer): WireError {
  const { type, message } = errorWords(answer);
  const body = { error: { message, type, param: null, code: null } };
  return { body, frame: event(body) };
}

const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

function usageOf({ usage = {} }: Answer) {
  const input = usage.input ?? 10;
  const output = usage.output ?? 5;
  return {
    prompt_tokens: input,
    prompt_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
    completion_tokens: output,
    completion_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
    total_tokens: input + output,
  };
}

const identifier = (): string => randomUUID().replaceAll("-", "").slice(0, 24);
