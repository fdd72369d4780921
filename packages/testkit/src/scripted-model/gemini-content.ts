/** Gemini `generateContent`: the format of an answer, streamed and not. */
import type { Answer } from "./scenario.ts";
import { dataEvent, errorWords, type WireAnswer, type WireError, type WireFrame, wholeText } from "./wire-answer.ts";

export function geminiAnswer(answer: Answer, model: string): WireAnswer {
  const usageMetadata = usageOf(answer);
  const response = (parts: readonly object[], finishReason?: string) => ({
    candidates: [{ index: 0, content: { role: "model", parts }, ...(finishReason ? { finishReason } : {}) }],
    modelVersion: model,
    usageMetadata,
  });
  const frames: WireFrame[] = [];
  const add = (parts: readonly object[], afterMs = 0, finishReason?: string) =>
    frames.push({ text: dataEvent(response(parts, finishReason)), afterMs, isClosing: finishReason !== undefined });

  for (const { text, afterMs } of answer.text ?? []) add([{ text }], afterMs);
  // A call is never cut into pieces here: the real service sends each whole.
  const calls = (answer.tools ?? []).map(({ id, name, arguments: args, input }) => ({
    functionCall: { ...(id ? { id } : {}), name, args: args ?? { input } },
  }));
  const finish = answer.stopReason ?? "STOP";
  add(calls.length > 0 ? calls : [{ text: "" }], 0, finish);
  const spoken = answer.text ? [{ text: wholeText(answer) }] : [];
  return { frames, body: response([...spoken, ...calls], finish) };
}

export function geminiError(answer: Answer): WireError {
  const { message, status } = errorWords(answer);
  const body = { error: { code: status, message, status: statusNames[status] ?? "INTERNAL" } };
  return { body, frame: dataEvent(body) };
}

const statusNames: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
};

function usageOf({ usage = {} }: Answer) {
  const prompt = usage.input ?? 10;
  const candidates = usage.output ?? 5;
  return {
    promptTokenCount: prompt,
    cachedContentTokenCount: usage.cacheRead ?? 0,
    candidatesTokenCount: candidates,
    thoughtsTokenCount: usage.reasoning ?? 0,
    totalTokenCount: prompt + candidates,
  };
}
