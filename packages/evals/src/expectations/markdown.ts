/**
 * Finds the parts of a Markdown or HTML text that expectations check.
 *
 * - `findHeaders(text)` ATX, Setext and HTML headers outside fenced code.
 * - `findTldr(text)` the paragraph after a `TL;DR` line or header, or the rest of that line.
 * - `withoutMarkup(text)` a header's text.
 */
export interface Header {
  readonly level: number;
  readonly text: string;
  readonly line: number;
}

const atx = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/;
/** Stops at the next header, so that unclosed tags are still matched in linear time. */
const htmlHeader = /<h([1-6])\b[^<>]{0,1000}>((?:(?!<h[1-6]\b)[\s\S]){0,4000}?)<\/h\1\s{0,10}>/giu;
/** Longer lines are not headers and are not searched. */
const longestHeader = 2_000;

export function findHeaders(text: string): Header[] {
  const found: Header[] = [];
  const lines = linesOutsideCode(text);
  lines.forEach((line, index) => {
    if (line.length > longestHeader) return;
    const hashes = atx.exec(line);
    if (hashes?.[1]) {
      const words = (hashes[2] ?? "").replace(/[ \t]+#+[ \t]*$/, "").trim();
      if (words && !/^#+$/.test(words)) found.push({ level: hashes[1].length, text: words, line: index + 1 });
      return;
    }
    const underline = /^ {0,3}(=+|-+)[ \t]*$/.exec(line)?.[1];
    const above = lines[index - 1] ?? "";
    if (underline && above.length <= longestHeader && isParagraphLine(above)) {
      found.push({ level: underline.startsWith("=") ? 1 : 2, text: above.trim(), line: index });
    }
  });
  const kept = lines.join("\n");
  let [seen, line] = [0, 1];
  for (const match of kept.matchAll(htmlHeader)) {
    line += kept.slice(seen, match.index).split("\n").length - 1;
    seen = match.index;
    const words = withoutMarkup(match[2] ?? "");
    if (words) found.push({ level: Number(match[1]), text: words, line });
  }
  return found.sort((a, b) => a.line - b.line);
}

/** The text above a Setext underline; a rule below a list, a quote, a table or a header is not an underline. */
function isParagraphLine(line: string): boolean {
  return line.trim() !== "" && !/^ {0,3}(?:[-*+>|]|\d+[.)]|#{1,6}(?:\s|$)|[=-]+\s*$)|^ {4}/.test(line);
}

/** Replaces lines of fenced code with empty ones, to keep line numbers. */
function linesOutsideCode(text: string): string[] {
  let fence: string | undefined;
  return text.split("\n").map((line) => {
    const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    if (fence === undefined) {
      if (!mark?.[1] || (mark[1].startsWith("`") && mark[2]?.includes("`"))) return line;
      fence = mark[1];
      return "";
    }
    if (mark?.[1]?.startsWith(fence) && mark[2]?.trim() === "") fence = undefined;
    return "";
  });
}

const tldrLine = /^[\s#>*_-]{0,20}tl;?\s?dr\b[\s*_]{0,20}[:.—–-]?[\s*_]{0,20}(.*)$/iu;

export function findTldr(text: string): { readonly text: string; readonly line: number } | undefined {
  const lines = linesOutsideCode(text);
  const at = lines.findIndex((line) => tldrLine.test(line));
  if (at < 0) return undefined;
  const sameLine = tldrLine.exec(lines[at] ?? "")?.[1]?.trim() ?? "";
  if (/[\p{L}\p{N}]/u.test(sameLine)) {
    return { text: [sameLine, ...paragraphFrom(lines, at + 1)].join("\n").trim(), line: at + 1 };
  }
  let first = at + 1;
  // Skip Setext underlines and empty lines between the header and its paragraph.
  while (first < lines.length && /^\s*[=-]*\s*$/.test(lines[first] ?? "")) first += 1;
  if (atx.test(lines[first] ?? "")) return { text: "", line: at + 1 };
  return { text: paragraphFrom(lines, first).join("\n").trim(), line: first + 1 };
}

function paragraphFrom(lines: readonly string[], from: number): string[] {
  const rest = lines.slice(from);
  const end = rest.findIndex((line) => line.trim() === "" || atx.test(line));
  return end < 0 ? rest : rest.slice(0, end);
}

export function withoutMarkup(text: string): string {
  return text
    .replace(/<[^>]{0,1000}>/g, "")
    .replace(/!?\[([^\]]{0,1000})\]\([^)]{0,1000}\)/g, "$1")
    .replace(/[*_`~]+/g, "")
    .trim();
}
