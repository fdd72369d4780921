/**
 * Which lines of a diff a comment is about. Pure.
 *
 * - `targetAt(rows, index, half)` the line that a row shows: its file, side and number. Undefined for headings and notes.
 * - `rangeOf(rows, from, to)` the lines between two rows, if they are one range of one file and side; else the last row's.
 * - `nextLine(rows, index, step)` the nearest row with a line, for the arrow keys.
 * - `commentsByLine(comments)` how many comments each line has, by `lineKey`; those whose lines are gone are on none.
 */
import type { CommentView } from "@devflow/protocol";
import type { DiffRow } from "./diff-rows.ts";

export interface CommentTarget {
  readonly file: string;
  readonly side: CommentView["side"];
  readonly line: number;
  readonly endLine: number;
  /** The lines as shown. */
  readonly text: string;
}

type Half = "left" | "right";

export function targetAt(rows: readonly DiffRow[], index: number, half: Half = "right"): CommentTarget | undefined {
  const row = rows[index];
  const file = fileAt(rows, index);
  if (!row || file === undefined) return undefined;
  if (row.is === "pair") {
    const line = half === "left" ? row.left : row.right;
    return line && lineTarget(file, line);
  }
  return row.is === "added" || row.is === "removed" || row.is === "same" ? lineTarget(file, row) : undefined;
}

function lineTarget(
  file: string,
  { is, text, old, new: now }: Extract<DiffRow, { readonly old: number | undefined }>,
): CommentTarget | undefined {
  const line = is === "removed" ? old : now;
  return line === undefined ? undefined : { file, side: is === "removed" ? "old" : "new", line, endLine: line, text };
}

function fileAt(rows: readonly DiffRow[], index: number): string | undefined {
  for (let at = index; at >= 0; at--) {
    const row = rows[at];
    if (row?.is === "file") return row.path;
  }
  return undefined;
}

export function rangeOf(
  rows: readonly DiffRow[],
  from: number,
  to: number,
  half: Half = "right",
): CommentTarget | undefined {
  const last = targetAt(rows, to, half);
  const [low, high] = from < to ? [from, to] : [to, from];
  const found: CommentTarget[] = [];
  for (let index = low; index <= high; index++) {
    const one = targetAt(rows, index, half);
    if (one && one.file === last?.file && one.side === last.side) found.push(one);
  }
  const [first] = found;
  const end = found.at(-1);
  if (!first || !end || end.line - first.line !== found.length - 1) return last;
  return { ...first, endLine: end.line, text: found.map((one) => one.text).join("\n") };
}

export function nextLine(rows: readonly DiffRow[], index: number, step: 1 | -1): number {
  for (let at = index + step; at >= 0 && at < rows.length; at += step) {
    if (targetAt(rows, at) ?? targetAt(rows, at, "left")) return at;
  }
  return index;
}

export const lineKey = ({ file, side, line }: Pick<CommentTarget, "file" | "side" | "line">): string =>
  `${side} ${line} ${file}`;

/** The first line that it is about, as the work is now; undefined when its text is gone. */
export function lineNow({ line, place }: Pick<CommentView, "line" | "place">): number | undefined {
  if (place.is === "gone") return undefined;
  return place.is === "moved" ? place.line : line;
}

export function commentsByLine(comments: readonly CommentView[]): ReadonlyMap<string, readonly CommentView[]> {
  const found = new Map<string, CommentView[]>();
  for (const comment of comments) {
    const line = lineNow(comment);
    if (line === undefined) continue;
    const key = lineKey({ ...comment, line: line + comment.endLine - comment.line });
    found.set(key, [...(found.get(key) ?? []), comment]);
  }
  return found;
}

/** `src/a.ts:10`, or `src/a.ts:10-14`. */
export function placeName({ file, line, endLine }: Pick<CommentTarget, "file" | "line" | "endLine">): string {
  return `${file}:${line === endLine ? line : `${line}-${endLine}`}`;
}
