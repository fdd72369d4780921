/**
 * Words of a page made harmless for a terminal and for a model: what cannot be seen is not there.
 *
 * - `cleanText(text)` without escape sequences, control, zero-width, bidirectional and tag characters, lone surrogates.
 * - `cleanValue(value)` the same for every text in a JSON value, names of members included.
 */

/* biome-ignore-start lint/suspicious/noControlCharactersInRegex: taking them out is the point */
const escapes =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?/g;
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/* biome-ignore-end lint/suspicious/noControlCharactersInRegex: see above */
/** Characters without a width, or that turn the direction of what follows, or that only machines read. */
const invisible =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: single code points, not what they would combine to
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;
const lineEnds = /\r\n?|[\u0085\u2028\u2029]/g;
const suspicious = /[^\n\t\u0020-\u007e\u00a0-\u00ac\u00ae-\u024f]/;

export function cleanText(text: string): string {
  // Most text is plain; one look is cheaper than five replacements.
  if (!suspicious.test(text)) return text;
  return text.toWellFormed().replace(escapes, "").replace(lineEnds, "\n").replace(controls, "").replace(invisible, "");
}

export function cleanValue(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanValue);
  if (typeof value !== "object" || value === null) return value;
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [cleanText(name), cleanValue(item)]));
}
