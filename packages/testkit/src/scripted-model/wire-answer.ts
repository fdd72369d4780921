/** An answer as it is sent, before any deliberate damage. */
import type { Answer } from "./scenario.ts";

export interface WireFrame {
  /** A complete server-sent event. */
  readonly text: string;
  readonly afterMs: number;
  /** The frames that end a message: a hanging answer never reaches them. */
  readonly isClosing: boolean;
}

export interface WireAnswer {
  readonly frames: readonly WireFrame[];
  /** The same for a client that does not stream. */
  readonly body: unknown;
}

export interface WireError {
  readonly body: unknown;
  /** The event that carries it inside a stream. */
  readonly frame: string;
}

export const serverSentEvent = (event: string, data: unknown): string => `event: ${event}\n${dataEvent(data)}`;

/** For protocols whose events have no names. */
export const dataEvent = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

export const wholeText = (answer: Answer): string => (answer.text ?? []).map(({ text }) => text).join("");

/** Real models send arguments in pieces, so clients must assemble them here too. */
export function pieces(text: string, size = 24): string[] {
  const found = text.match(new RegExp(`[\\s\\S]{1,${size}}`, "g"));
  return found ? [...found] : [""];
}

export function errorWords(answer: Answer): { type: string; message: string; status: number } {
  const status = answer.error?.status ?? 500;
  const type = answer.error?.type ?? errorTypes[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
  return { status, type, message: answer.error?.message ?? `scripted error ${status}` };
}

const errorTypes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  529: "overloaded_error",
};
