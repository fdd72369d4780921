/** OpenAI Chat Completions: the format of an answer, streamed and not. */
import { randomUUID } from "node:crypto";
import type { Answer, ToolCall } from "./scenario.ts";
import {
  dataEvent,
  errorWords,
  pieces,
  type WireAnswer,
  type WireError,
  type WireFrame,
  wholeText,
} from "./wire-answer.ts";

export function chatAnswer(answer: Answer, model: string): WireAnswer {
  const base = { id: `chatcmpl-${identifier()}`, created: 0, model };
  const frames: WireFrame[] = [];
  const add = (delta: object, { afterMs = 0, isClosing = false, finish = null as string | null, more = {} } = {}) =>
    frames.push({
      text: dataEvent({
        ...base,
        object: "chat.completion.chunk",
        choices: [{ index: 0, delta, finish_reason: finish }],
        ...more,
      }),
      afterMs,
      isClosing,
    });

  add({ role: "assistant", content: "" });
  for (const { text, afterMs } of answer.text ?? []) add({ content: text }, { afterMs: afterMs ?? 0 });
  const calls = (answer.tools ?? []).map(callOf);
  for (const [
    index,
    {
      id,
      type,
      function: { name, arguments: text },
    },
  ] of calls.entries()) {
    add({ tool_calls: [{ index, id, type, function: { name, arguments: "" } }] });
    for (const piece of pieces(text)) add({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  const finish = answer.stopReason ?? (answer.tools ? "tool_calls" : "stop");
  const usage = usageOf(answer);
  add({}, { finish, isClosing: true });
  // As `stream_options.include_usage` asks for it: a last chunk of its own, without choices.
  frames.push({
    text: dataEvent({ ...base, object: "chat.completion.chunk", choices: [], usage }),
    afterMs: 0,
    isClosing: true,
  });
  frames.push({ text: "data: [DONE]\n\n", afterMs: 0, isClosing: true });
  const content = answer.text ? wholeText(answer) : null;
  const message = { role: "assistant", content, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
  return {
    frames,
    body: { ...base, object: "chat.completion", choices: [{ index: 0, message, finish_reason: finish }], usage },
  };
}

export function chatError(answer: Answer): WireError {
  const { type, message, status } = errorWords(answer);
  const code = status === 429 ? "rate_limit_exceeded" : null;
  const body = { error: { message, type, param: null, code } };
  return { body, frame: dataEvent(body) };
}

const callOf = ({ id, name, arguments: given, input }: ToolCall) => ({
  id: id ?? `call_${identifier()}`,
  type: "function",
  function: { name, arguments: JSON.stringify(given ?? { input }) },
});

function usageOf({ usage = {} }: Answer) {
  const prompt = usage.input ?? 10;
  const completion = usage.output ?? 5;
  return {
    prompt_tokens: prompt,
    prompt_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
    completion_tokens: completion,
    completion_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
    total_tokens: prompt + completion,
  };
}

const identifier = (): string => randomUUID().replaceAll("-", "").slice(0, 24);
