/**
 * What an agent is told when changes are requested: the person's own words, then each comment with its file, its lines, the text
 * of the lines, and what the person says about them. Pure.
 *
 * - `requestText(words, comments)` the text; `words` may be empty.
 */
import type { CommentPlace } from "@devflow/protocol";

export interface SentComment {
  readonly author: string;
  readonly file: string;
  readonly side: "new" | "old";
  readonly line: number;
  readonly endLine: number;
  readonly commit: string;
  readonly quote: string;
  readonly text: string;
  readonly place: CommentPlace;
  /** Names of the files that belong to it. */
  readonly attachments: readonly string[];
}

/** More than this is not read with care, neither by a model nor by a person. */
export const mostRequested = 60_000;
/** A longer line is data, not code. */
const mostOfLine = 300;

export function requestText(words: string, comments: readonly SentComment[]): string {
  if (comments.length === 0) return words;
  const count = comments.length === 1 ? "A comment" : `${comments.length} comments`;
  const title = `${count} on lines of the diff. Answer each of them.`;
  return [...(words.trim() === "" ? [] : [words.trim()]), title, ...comments.map(commentText)].join("\n\n");
}

function commentText(comment: SentComment, index: number): string {
  const { author, text, quote, attachments } = comment;
  const quoted = quote.split("\n").map((line) => `   | ${cut(line)}`.trimEnd());
  const said = text.split("\n").map((line) => `   ${line}`.trimEnd());
  return [
    `${index + 1}. ${placeText(comment)}`,
    ...quoted,
    `   ${author} says:`,
    ...said,
    ...attachments.map((name) => `   Attached: ${name}`),
  ].join("\n");
}

function placeText({
  file,
  side,
  line,
  endLine,
  commit,
  place,
}: Pick<SentComment, "file" | "side" | "line" | "endLine" | "commit" | "place">): string {
  const lines = endLine === line ? `${line}` : `${line}-${endLine}`;
  const where = `${file}:${lines}${side === "old" ? " (before the change)" : ""}`;
  const at = `written at commit ${commit.slice(0, 10)}`;
  if (place.is === "moved") return `${where}, now at line ${place.line} (${at})`;
  return place.is === "gone" ? `${where}, which is no longer there (${at})` : where;
}

const cut = (line: string): string =>
  line.length > mostOfLine ? `${line.slice(0, mostOfLine).toWellFormed()}…` : line;
