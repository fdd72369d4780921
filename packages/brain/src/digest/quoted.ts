/**
 * Other people's text on its way to an agent: one line, in quotes, cut, and with nothing in it that could end the block around it, start a
 * line of its own or hide from a person who reads along.
 */
import { shortLine } from "@devflow/core/plain-text";

export function quoted(text: string, longest: number): string {
  return JSON.stringify(shortLine(text, longest)).replace(/[<>`]/g, (sign) => ({ "<": "‹", ">": "›" })[sign] ?? "'");
}

/** A name, without the quotes. It stands in brackets, so it may not end them. */
export const bare = (name: string): string => quoted(name, 60).slice(1, -1).replace(/[[\]]/g, "");
