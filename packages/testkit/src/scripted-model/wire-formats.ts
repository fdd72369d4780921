/** How each protocol writes an answer and an error. */
import { anthropicAnswer, anthropicError } from "./anthropic-messages.ts";
import { geminiAnswer, geminiError } from "./gemini-content.ts";
import { chatAnswer, chatError } from "./openai-chat.ts";
import { responsesAnswer, responsesError } from "./openai-responses.ts";
import type { Answer, Protocol } from "./scenario.ts";
import type { WireAnswer, WireError } from "./wire-answer.ts";

interface WireFormat {
  answer(answer: Answer, model: string): WireAnswer;
  error(answer: Answer): WireError;
}

export const wireFormats: Readonly<Record<Protocol, WireFormat>> = {
  anthropic: { answer: anthropicAnswer, error: anthropicError },
  responses: { answer: responsesAnswer, error: responsesError },
  chat: { answer: chatAnswer, error: chatError },
  gemini: { answer: geminiAnswer, error: geminiError },
};
