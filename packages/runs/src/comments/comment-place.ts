/**
 * Where commented lines are in a file as it is now. Pure.
 *
 * - `placeOf(comment, lines)` the same place, moved to another line, or gone. Of several places with the same text, the nearest.
 */
import type { CommentPlace } from "@devflow/protocol";

export interface CommentedLines {
  readonly line: number;
  readonly quote: string;
}

export function placeOf({ line, quote }: CommentedLines, lines: readonly string[] | undefined): CommentPlace {
  if (!lines) return { is: "gone" };
  const wanted = quote.split("\n");
  const isAt = (first: number) => wanted.every((text, index) => lines[first - 1 + index] === text);
  if (isAt(line)) return { is: "same" };
  // A line of no words is everywhere.
  if (quote.trim() === "") return { is: "gone" };
  const last = lines.length - wanted.length + 1;
  for (let distance = 1; distance <= Math.max(line, last); distance++) {
    for (const first of [line - distance, line + distance]) {
      if (first >= 1 && first <= last && isAt(first)) return { is: "moved", line: first };
    }
  }
  return { is: "gone" };
}
