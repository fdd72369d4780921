/**
 * The one place where an answer leaves the daemon. Text from a page is cleaned and put between two lines with a nonce
 * that the page cannot know, so that a reader can tell it from Devflow's own text.
 *
 * - `printAnswer(answer, { json })` exactly what the client prints.
 */
import { randomBytes } from "node:crypto";
import { plainText, plainValue } from "@devflow/core/plain-text";
import type { Answer } from "../command.ts";

export function printAnswer(answer: Answer, { json }: { readonly json: boolean }): string {
  if (json) return `${JSON.stringify(plainValue(answer.data) ?? null)}\n`;
  const text = plainText(answer.text).replace(/\n+$/, "");
  if (!answer.fromPage) return text === "" ? "" : `${text}\n`;
  return wrap(text);
}

function wrap(text: string): string {
  const nonce = unusedNonce(text);
  return `[page ${nonce}]\n${text}\n[/page ${nonce}]\n`;
}

/** Created after the text was read, and checked against it as well. */
function unusedNonce(text: string): string {
  for (;;) {
    const nonce = randomBytes(4).toString("hex");
    if (!text.includes(nonce)) return nonce;
  }
}
