/** Anthropic Messages: the format of an answer, streamed and not. */
import { randomUUID } from "node:crypto";
import type { Answer } from "./scenario.ts";
import {
  errorWords,
  pieces,
  serverSentEvent,
  type WireAnswer,
  type WireError,
  type WireFrame,
  wholeText,
} from "./wire-answer.ts";

export function anthropicAnswer(answer: Answer, model: string): WireAnswer {
  const id = `msg_${identifier()}`;
  const frames: WireFrame[] = [];
  const add = (event: string, data: object, afterMs = 0, isClosing = false) =>
    frames.push({ text: serverSentEvent(event, { type: event, ...data }), afterMs, isClosing });
  const usage = usageOf(answer);
  const stopReason = answer.stopReason ?? (answer.tools ? "tool_use" : "end_turn");
  const base = { id, type: "message", role: "assistant", model };

  const opening = {
    ...base,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  };
  add("message_start", { message: opening });
  const content: object[] = [];
  if (answer.text) {
    add("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
    for (const { text, afterMs } of answer.text) {
      add("content_block_delta", { index: 0, delta: { type: "text_delta", text } }, afterMs);
    }
    add("content_block_stop", { index: 0 }, 0, !answer.tools);
    content.push({ type: "text", text: wholeText(answer) });
  }
  for (const call of answer.tools ?? []) {
    const index = content.length;
    const block = { type: "tool_use", id: call.id ?? `toolu_${identifier()}`, name: call.name };
    const input = call.arguments ?? { input: call.input };
    add("content_block_start", { index, content_block: { ...block, input: {} } });
    for (const partial of pieces(JSON.stringify(input))) {
      add("content_block_delta", { index, delta: { type: "input_json_delta", partial_json: partial } });
    }
    add("content_block_stop", { index });
    content.push({ ...block, input });
  }
  const ending = { stop_reason: stopReason, stop_sequence: null };
  add("message_delta", { delta: ending, usage: { output_tokens: usage.output_tokens } }, 0, true);
  add("message_stop", {}, 0, true);
  return { frames, body: { ...base, content, ...ending, usage } };
}

export function anthropicError(answer: Answer): WireError {
  const { type, message } = errorWords(answer);
  const body = { type: "error", error: { type, message }, request_id: `req_${identifier()}` };
  return { body, frame: serverSentEvent("error", body) };
}

function usageOf({ usage = {} }: Answer) {
  return {
    input_tokens: usage.input ?? 10,
    output_tokens: usage.output ?? 5,
    cache_creation_input_tokens: usage.cacheWrite ?? 0,
    cache_read_input_tokens: usage.cacheRead ?? 0,
  };
}

const identifier = (): string => randomUUID().replaceAll("-", "").slice(0, 24);
