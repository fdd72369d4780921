/**
 * Makes untrusted text safe for a terminal, a screen and a model by removing everything invisible, and showing what would
 * change the order of a line. Titles, names,
 * transcripts, pages and models' answers may contain sequences that move the cursor or rename the window, characters that
 * reverse the direction of a line, and characters that only machines read.
 *
 * - `plainText(text)` without escape sequences, control, zero-width and tag characters and lone surrogates; line breaks (all
 *   as `\n`) and tabs stay. Bidirectional controls are shown, as `[U+202E]`.
 * - `markBidi(text)` only that: code that was reordered to look harmless must not look harmless.
 * - `withoutControls(text)` without terminal control sequences; all other text stays, visible or not. For a person's own
 *   text on its way to a model.
 * - `plainLine(text)` plain text on one line; `shortLine(text, longest)` cut to that many characters.
 * - `plainValue(value)` the same for every text in a JSON value, including member names.
 */

/* biome-ignore-start lint/suspicious/noControlCharactersInRegex: taking them out is the point */
const escapes =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?/g;
const controls = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f]/g;
/* biome-ignore-end lint/suspicious/noControlCharactersInRegex: see above */
/** Zero-width characters, characters that change the text direction, and characters that only machines read. */
const invisible =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: single code points, not what they would combine to
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;
/** Embeddings, overrides and isolates. Marks (U+200E, U+200F, U+061C) reorder nothing on their own and are just removed. */
const bidi = /[\u202a-\u202e\u2066-\u2069]/g;
const lineEnds = /\r\n?|[\v\f\u0085\u2028\u2029]/g;
const suspicious = /[^\n\t\u0020-\u007e\u00a0-\u00ac\u00ae-\u024f]/;

export function plainText(text: string): string {
  // Most text is plain; one test is cheaper than five replacements.
  if (!suspicious.test(text)) return text;
  return markBidi(withoutControls(text)).replace(invisible, "");
}

export const markBidi = (text: string): string =>
  text.replace(bidi, (one) => `[U+${one.charCodeAt(0).toString(16).toUpperCase()}]`);

export function withoutControls(text: string): string {
  return text.toWellFormed().replace(escapes, "").replace(lineEnds, "\n").replace(controls, "");
}

export const plainLine = (text: string): string => plainText(text).replace(/\s+/g, " ").trim();

export function shortLine(text: string, longest: number): string {
  // Only the beginning of a huge text can be shown, and little more than this is removed from it.
  const line = plainLine(text.slice(0, longest * 8 + 1000));
  if (line.length <= longest) return line;
  const characters = [...line.slice(0, longest * 2 + 2)];
  return characters.length <= longest ? line : `${characters.slice(0, longest - 1).join("")}…`;
}

export function plainValue(value: unknown): unknown {
  if (typeof value === "string") return plainText(value);
  if (Array.isArray(value)) return value.map(plainValue);
  if (typeof value !== "object" || value === null) return value;
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [plainText(name), plainValue(item)]));
}
