/**
 * Why a request got no answer, in words.
 *
 * - `networkReason(error)` without a final stop; what has no words of ours keeps those of the runtime.
 */
import { shortLine } from "./plain-text.ts";

const words: Readonly<Record<string, string>> = {
  ConnectionRefused: "nobody listens there",
  ECONNREFUSED: "nobody listens there",
  ENOTFOUND: "there is no host of that name",
  EAI_AGAIN: "its name could not be looked up",
  ConnectionClosed: "it closed the connection",
  ECONNRESET: "it closed the connection",
  EHOSTUNREACH: "no network leads there",
  ENETUNREACH: "no network leads there",
};

export function networkReason(error: unknown): string {
  const { code, name, message } = error as { code?: string; name?: string; message?: string };
  if (name === "TimeoutError") return "it does not answer in time";
  if (code !== undefined && Object.hasOwn(words, code)) return words[code]!;
  return shortLine(String(message ?? error), 200).replace(/\.$/, "");
}
