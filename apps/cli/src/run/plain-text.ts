/**
 * Text by others, safe to print: titles, comments, transcripts and file names may hold sequences that move the cursor,
 * rename the window, or turn the direction of a line.
 *
 * - `plainText(text)` without them; line breaks and tabs stay. `plainLine(text)` the same on one line.
 */
export function plainText(text: string): string {
  return text.replace(escapes, "").replace(controls, "\u{FFFD}").replace(bidirectional, "");
}

export const plainLine = (text: string): string => plainText(text.replace(/\s+/g, " ")).trim();

/** Cut to what fits, by the width a terminal gives it. */
export function fitted(text: string, columns: number): string {
  if (Bun.stringWidth(text) <= columns) return text;
  let cut = text.slice(0, Math.max(0, columns - 1));
  while (cut !== "" && Bun.stringWidth(cut) > columns - 1) cut = cut.slice(0, -1);
  return `${cut}…`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const bidirectional = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
