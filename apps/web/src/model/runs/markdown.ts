/**
 * Parses Markdown written by agents and people into a tree of plain text. HTML and links are not interpreted: tags and URLs stay
 * as written.
 *
 * - `parseMarkdown(text)` → blocks: headings, paragraphs, lists, tables, code, quotes, rules.
 * - `parseInline(text)` → spans: plain, code, strong, emphasis.
 */
export type Span = { readonly is: "text" | "code" | "strong" | "em"; readonly text: string };
export type Block =
  | { readonly is: "heading"; readonly level: number; readonly spans: readonly Span[] }
  | { readonly is: "paragraph" | "quote"; readonly spans: readonly Span[] }
  | { readonly is: "list"; readonly ordered: boolean; readonly items: readonly ListItem[] }
  | { readonly is: "code"; readonly text: string }
  | {
      readonly is: "table";
      readonly head: readonly (readonly Span[])[];
      readonly rows: readonly (readonly (readonly Span[])[])[];
    }
  | { readonly is: "rule" };
export interface ListItem {
  readonly depth: number;
  readonly spans: readonly Span[];
}

const fence = /^\s*(```+|~~~+)/;
const heading = /^(#{1,6})\s+(.*?)\s*#*$/;
const item = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const rule = /^\s*([-*_])(\s*\1){2,}\s*$/;
const tableLine = /^\s*\|(.*)\|\s*$/;
const tableRule = /^\s*\|[\s:|-]+\|\s*$/;

export function parseMarkdown(source: string): Block[] {
  const lines = source.replace(/\r\n?/g, "\n").split("\n");
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at]!;
    const [, mark] = fence.exec(line) ?? [];
    if (line.trim() === "") at += 1;
    else if (mark !== undefined) at = takeCode(lines, at, mark, blocks);
    else if (heading.test(line)) {
      const [, marks = "", text = ""] = heading.exec(line)!;
      blocks.push({ is: "heading", level: marks.length, spans: parseInline(text) });
      at += 1;
    } else if (rule.test(line)) {
      blocks.push({ is: "rule" });
      at += 1;
    } else if (tableLine.test(line) && tableRule.test(lines[at + 1] ?? "")) at = takeTable(lines, at, blocks);
    else if (item.test(line)) at = takeList(lines, at, blocks);
    else at = takeText(lines, at, blocks);
  }
  return blocks;
}

function takeCode(lines: readonly string[], start: number, mark: string, blocks: Block[]): number {
  let end = start + 1;
  while (end < lines.length && !lines[end]!.trimStart().startsWith(mark)) end += 1;
  blocks.push({ is: "code", text: lines.slice(start + 1, end).join("\n") });
  return end + 1;
}

function takeTable(lines: readonly string[], start: number, blocks: Block[]): number {
  let end = start + 2;
  while (end < lines.length && tableLine.test(lines[end]!)) end += 1;
  const rows = lines.slice(start + 2, end).map(cells);
  blocks.push({ is: "table", head: cells(lines[start]!), rows });
  return end;
}

/** An escaped bar (`\|`) is part of the text. */
function cells(line: string): Span[][] {
  const inner = tableLine.exec(line)?.[1] ?? "";
  return inner.split(/(?<!\\)\|/).map((cell) => parseInline(cell.trim().replaceAll("\\|", "|")));
}

function takeList(lines: readonly string[], start: number, blocks: Block[]): number {
  const items: { depth: number; text: string }[] = [];
  const ordered = /\d/.test(item.exec(lines[start]!)![2]!);
  let end = start;
  for (; end < lines.length; end += 1) {
    const line = lines[end]!;
    const found = item.exec(line);
    if (found) items.push({ depth: Math.min(4, Math.floor(found[1]!.length / 2)), text: found[3]! });
    else if (/^\s+\S/.test(line)) items.at(-1)!.text += ` ${line.trim()}`;
    else break;
  }
  blocks.push({
    is: "list",
    ordered,
    items: items.map(({ depth, text }) => ({ depth, spans: parseInline(text) })),
  });
  return end;
}

function takeText(lines: readonly string[], start: number, blocks: Block[]): number {
  const isQuote = lines[start]!.startsWith(">");
  let end = start + 1;
  while (end < lines.length && continuesText(lines[end]!, isQuote)) end += 1;
  const text = lines
    .slice(start, end)
    .map((line) => (isQuote ? line.replace(/^>\s?/, "") : line).trim())
    .join("\n");
  blocks.push({ is: isQuote ? "quote" : "paragraph", spans: parseInline(text) });
  return end;
}

function continuesText(line: string, isQuote: boolean): boolean {
  if (line.trim() === "" || line.startsWith(">") !== isQuote) return false;
  return ![fence, heading, item, rule, tableLine].some((start) => start.test(line));
}

const inline = /(`+)(.+?)\1|\*\*(?=\S)(.+?)(?<=\S)\*\*|(?<![\w*])[*_](?=\S)([^*_\n]+?)(?<=\S)[*_](?![\w*])/gs;

export function parseInline(text: string): Span[] {
  const spans: Span[] = [];
  let at = 0;
  for (const match of text.matchAll(inline)) {
    if (match.index > at) spans.push({ is: "text", text: text.slice(at, match.index) });
    const [whole, , code, strong, em] = match;
    if (code !== undefined) spans.push({ is: "code", text: code });
    else if (strong !== undefined) spans.push({ is: "strong", text: strong });
    else spans.push({ is: "em", text: em! });
    at = match.index + whole.length;
  }
  if (at < text.length) spans.push({ is: "text", text: text.slice(at) });
  return spans;
}
