/** OpenAI Responses: the format of an answer, streamed and not. */
import { randomUUID } from "node:crypto";
import type { Answer, ToolCall } from "./scenario.ts";
import {
  errorWords,
  pieces,
  serverSentEvent,
  type WireAnswer,
  type WireError,
  type WireFrame,
  wholeText,
} from "./wire-answer.ts";

export function responsesAnswer(answer: Answer, model: string): WireAnswer {
  const response = { id: `resp_${identifier()}`, object: "response", created_at: 0, model };
  const frames: WireFrame[] = [];
  const add = (event: string, data: object, afterMs = 0, isClosing = false) =>
    frames.push({
      text: serverSentEvent(event, { type: event, sequence_number: frames.length, ...data }),
      afterMs,
      isClosing,
    });

  add("response.created", { response: { ...response, status: "in_progress", output: [] } });
  const output: object[] = [];
  if (answer.text) {
    const base = { id: `msg_${identifier()}`, type: "message", role: "assistant" };
    const place = { item_id: base.id, output_index: 0, content_index: 0 };
    const part = { type: "output_text", text: wholeText(answer), annotations: [] };
    const item = { ...base, status: "completed", content: [part] };
    add("response.output_item.added", { output_index: 0, item: { ...base, status: "in_progress", content: [] } });
    add("response.content_part.added", { ...place, part: { ...part, text: "" } });
    for (const { text, afterMs } of answer.text) add("response.output_text.delta", { ...place, delta: text }, afterMs);
    const isClosing = !answer.tools;
    add("response.output_text.done", { ...place, text: part.text }, 0, isClosing);
    add("response.content_part.done", { ...place, part }, 0, isClosing);
    add("response.output_item.done", { output_index: 0, item }, 0, isClosing);
    output.push(item);
  }
  for (const call of answer.tools ?? []) {
    const output_index = output.length;
    const { item, started, delta } = callItem(call);
    add("response.output_item.added", { output_index, item: started });
    for (const piece of pieces(delta.text))
      add(`${delta.event}.delta`, { item_id: item.id, output_index, delta: piece });
    add(`${delta.event}.done`, { item_id: item.id, output_index, [delta.member]: delta.text });
    add("response.output_item.done", { output_index, item });
    output.push(item);
  }
  const completed = { ...response, status: "completed", output, usage: usageOf(answer) };
  add("response.completed", { response: completed }, 0, true);
  return { frames, body: completed };
}

export function responsesError(answer: Answer): WireError {
  const { type, message, status } = errorWords(answer);
  const code =
    status === 429 ? "rate_limit_exceeded" : status === 529 || status === 503 ? "server_is_overloaded" : type;
  const failed = { id: `resp_${identifier()}`, object: "response", status: "failed", error: { code, message } };
  return {
    body: { error: { message, type, param: null, code } },
    frame: serverSentEvent("response.failed", { type: "response.failed", response: failed }),
  };
}

/** A tool of type `custom` takes one text, a function takes JSON. */
function callItem(call: ToolCall) {
  const base = { id: `fc_${identifier()}`, call_id: call.id ?? `call_${identifier()}`, name: call.name };
  if (call.input !== undefined) {
    const item = { ...base, type: "custom_tool_call", status: "completed", input: call.input };
    const started = { ...item, status: "in_progress", input: "" };
    return { item, started, delta: { event: "response.custom_tool_call_input", member: "input", text: call.input } };
  }
  const text = JSON.stringify(call.arguments);
  const item = { ...base, type: "function_call", status: "completed", arguments: text };
  const started = { ...item, status: "in_progress", arguments: "" };
  return { item, started, delta: { event: "response.function_call_arguments", member: "arguments", text } };
}

function usageOf({ usage = {} }: Answer) {
  const input = usage.input ?? 10;
  const output = usage.output ?? 5;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
    total_tokens: input + output,
  };
}

const identifier = (): string => randomUUID().replaceAll("-", "").slice(0, 24);
