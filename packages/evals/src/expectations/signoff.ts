/**
 * Finds the closing of a letter: "Best regards," and what follows it.
 *
 * - `findSignoff(text, patterns)` the closing's line and offset, in the last five non-empty lines.
 */
import type { Pattern } from "./pattern.ts";

const closings =
  /^(?:best|(?:best|kind|warm)\s+regards|regards|sincerely|thanks|thank you|cheers|warmly|yours(?:\s+\p{L}+)?)(?:\s*[,!\u2010-\u2015-]|\s*$)/iu;
const lastLines = 5;

export interface Signoff {
  readonly line: number;
  readonly offset: number;
  readonly text: string;
}

export function findSignoff(text: string, patterns?: readonly Pattern[]): Signoff | undefined {
  const candidates: Signoff[] = [];
  let offset = 0;
  text.split("\n").forEach((line, index) => {
    if (line.trim() !== "") candidates.push({ line: index + 1, offset, text: line.trim() });
    offset += line.length + 1;
  });
  return candidates.slice(-lastLines).find(({ text: line }) => {
    const words = line.replace(/^[\s*_>-]+/u, "");
    return patterns ? patterns.some((pattern) => opens(pattern, words)) : closings.test(words);
  });
}

/** A closing in another language, given as a pattern: it must be at the start of the line and end at a word boundary. */
function opens(pattern: Pattern, line: string): boolean {
  const at = pattern.find(line);
  if (at !== 0) return false;
  const rest = pattern.plain === undefined ? "" : line.slice(pattern.plain.length);
  return /^(?:\s*[,!\u2010-\u2015-]|\s*$)/u.test(rest);
}
