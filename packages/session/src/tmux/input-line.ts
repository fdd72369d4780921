/**
 * Where on a screen an agent takes its prompts, and whether something is on that line. The screen decides only whether it
 * is safe to type; what happened is told by hooks and records.
 */
export type InputState = "empty" | "filled" | "absent";

export interface Screen {
  readonly lines: readonly string[];
  readonly cursor: { readonly x: number; readonly y: number };
}

export interface InputLook {
  /** The first character of the line. Lists of choices indent theirs, or have it in front of a number. */
  readonly glyph: string;
  /** The line above begins with it. */
  readonly above?: string;
}

/** Text begins after the glyph and a space; the cursor stands there also in front of a greyed hint. */
const firstColumn = 2;
const mostLines = 45;

export function inputState({ lines, cursor }: Screen, { glyph, above }: InputLook): InputState {
  for (let y = cursor.y; y >= Math.max(0, cursor.y - mostLines); y--) {
    const line = lines[y] ?? "";
    if (line.startsWith(glyph)) {
      if (above !== undefined && !(lines[y - 1] ?? "").startsWith(above)) return "absent";
      if (/^.\s+\d+\. /.test(line)) return "absent";
      return y === cursor.y && cursor.x === firstColumn ? "empty" : "filled";
    }
    if (line !== "" && !line.startsWith("  ")) return "absent";
  }
  return "absent";
}

/** What stands on the input line, for the transcript. */
export function inputText({ lines, cursor }: Screen, { glyph }: InputLook): string {
  let first = cursor.y;
  while (first > 0 && !(lines[first] ?? "").startsWith(glyph)) first -= 1;
  return lines
    .slice(first, cursor.y + 1)
    .map((line) => line.slice(firstColumn))
    .join("\n")
    .trim();
}
