/**
 * Compares and counts text, in the same way for every expectation.
 *
 * - `normalText(text)` Unicode NFC and LF; nothing else is changed.
 * - `characterCount(text)` Unicode code points.
 * - `wordCount(text)` whitespace-separated tokens with a letter or digit; `Intl.Segmenter` words if more than half of the
 *   letters are Chinese, Japanese, Korean or Thai.
 * - `lineOf(text, offset)` 1-based, for places.
 */
export function normalText(text: string): string {
  return text.normalize("NFC").replaceAll("\r\n", "\n");
}

export function characterCount(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xd800 && unit <= 0xdbff) {
      const next = text.charCodeAt(at + 1);
      if (next >= 0xdc00 && next <= 0xdfff) at += 1;
    }
    count += 1;
  }
  return count;
}

const letterOrDigit = /[\p{L}\p{N}]/u;
const letters = /\p{L}/gu;
const unspacedLetters = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/gu;
/** The segmenter keeps its whole input in memory, so long texts are split into pieces. */
const segmentedPiece = 4096;

export function wordCount(text: string): number {
  return isMostlyUnspaced(text) ? segmentedWords(text) : spacedWords(text);
}

function spacedWords(text: string): number {
  let count = 0;
  for (const [token] of text.matchAll(/\S+/gu)) if (letterOrDigit.test(token)) count += 1;
  return count;
}

function isMostlyUnspaced(text: string): boolean {
  const unspaced = countMatches(text, unspacedLetters);
  return unspaced > 0 && unspaced * 2 > countMatches(text, letters);
}

function countMatches(text: string, pattern: RegExp): number {
  let count = 0;
  pattern.lastIndex = 0;
  while (pattern.exec(text)) count += 1;
  return count;
}

function segmentedWords(text: string): number {
  const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });
  let count = 0;
  for (const piece of piecesOf(text)) {
    for (const { segment, isWordLike } of segmenter.segment(piece)) {
      if (isWordLike && letterOrDigit.test(segment)) count += 1;
    }
  }
  return count;
}

/** Cuts after white space or a full stop, so that no word is split. */
function* piecesOf(text: string): Generator<string> {
  let from = 0;
  while (from < text.length) {
    let to = Math.min(text.length, from + segmentedPiece);
    if (to < text.length) {
      const cut = text.slice(from, to).search(/[\s。！？，、；][^\s。！？，、；]*$/u);
      if (cut > 0) to = from + cut + 1;
      else if (/[\uD800-\uDBFF]/.test(text.charAt(to - 1))) to -= 1;
    }
    yield text.slice(from, to);
    from = to;
  }
}

export function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}

/** A few words around a place, for messages. */
export function excerpt(text: string, at = 0, length = 120): string {
  const from = Math.max(0, at - 20);
  const cut = text.slice(from, from + length);
  return `${from > 0 ? "…" : ""}${cut}${from + length < text.length ? "…" : ""}`.toWellFormed();
}
