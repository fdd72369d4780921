/**
 * Splits a template into text, output tags, block tags and comments, and expressions into tokens.
 *
 * - `splitTemplate(source)` the parts, with the whitespace control of `{%-` and `-}}` already applied.
 * - `tokensOf(source)` the tokens of an expression or of a block tag.
 */
export class TemplateFault extends Error {
  override readonly name = "TemplateFault";
}

export type TemplatePart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "output" | "block"; readonly source: string };

const openings = { "{{": "}}", "{%": "%}", "{#": "#}" } as const;
const rawBlock = /^\s*(raw|verbatim)\s*$/;

export function splitTemplate(source: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let at = 0;
  let trimsNext = false;
  const addText = (text: string, trimsEnd: boolean) => {
    const start = trimsNext ? text.replace(/^\s+/, "") : text;
    const kept = trimsEnd ? start.replace(/\s+$/, "") : start;
    if (kept !== "") parts.push({ kind: "text", text: kept });
    trimsNext = false;
  };
  while (at < source.length) {
    const open = nextOpening(source, at);
    if (open === -1) break;
    const opening = source.slice(open, open + 2) as keyof typeof openings;
    const trimsBefore = source[open + 2] === "-";
    addText(source.slice(at, open), trimsBefore);
    const inner = open + (trimsBefore ? 3 : 2);
    const close = opening === "{#" ? source.indexOf("#}", inner) : closingOf(source, inner, openings[opening]);
    if (close === -1) throw new TemplateFault(`${opening} is not closed: ${source.slice(open, open + 40)}`);
    trimsNext = source[close - 1] === "-" && close - 1 >= inner;
    const body = source.slice(inner, trimsNext ? close - 1 : close);
    at = close + 2;
    if (opening === "{#") continue;
    const raw = opening === "{%" ? rawBlock.exec(body) : null;
    if (raw) {
      const end = endOfRaw(source, at, raw[1] as string);
      addText(source.slice(at, end.start), end.trims);
      at = end.end;
      continue;
    }
    parts.push({ kind: opening === "{{" ? "output" : "block", source: body });
  }
  addText(source.slice(at), false);
  return parts;
}

function nextOpening(source: string, from: number): number {
  for (let at = source.indexOf("{", from); at !== -1; at = source.indexOf("{", at + 1)) {
    const next = source[at + 1];
    if (next === "{" || next === "%" || next === "#") return at;
  }
  return -1;
}

/** The closing tag that is not inside a string. */
function closingOf(source: string, from: number, closing: string): number {
  let quote = "";
  for (let at = from; at < source.length; at += 1) {
    const character = source[at] as string;
    if (quote !== "") {
      if (character === "\\") at += 1;
      else if (character === quote) quote = "";
    } else if (character === '"' || character === "'") quote = character;
    else if (source.startsWith(closing, at)) return at;
  }
  return -1;
}

/** Raw blocks may contain each other. */
function endOfRaw(source: string, from: number, name: string): { start: number; end: number; trims: boolean } {
  const tag = new RegExp(`\\{%(-?)\\s*(end)?${name}\\s*-?%\\}`, "g");
  tag.lastIndex = from;
  let depth = 1;
  for (let found = tag.exec(source); found; found = tag.exec(source)) {
    depth += found[2] ? -1 : 1;
    if (depth === 0) return { start: found.index, end: tag.lastIndex, trims: found[1] === "-" };
  }
  throw new TemplateFault(`{% ${name} %} is not closed`);
}

export type Token =
  | { readonly kind: "name" | "operator"; readonly text: string }
  | { readonly kind: "string"; readonly text: string }
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "regex"; readonly source: string; readonly flags: string };

const pattern =
  /\s+|(\d+\.\d+|\d+)|([A-Za-z_$][\w$]*)|("(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*')|(===|!==|==|!=|<=|>=|\/\/|\*\*|[-+*/%~|.,:()[\]{}<>=])/y;
const regexLiteral = /r\/((?:[^/\\\n]|\\.)+)\/([gimy]*)/y;
const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

export function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < source.length) {
    regexLiteral.lastIndex = at;
    const regex = regexLiteral.exec(source);
    if (regex) {
      tokens.push({ kind: "regex", source: regex[1] as string, flags: regex[2] as string });
      at = regexLiteral.lastIndex;
      continue;
    }
    pattern.lastIndex = at;
    const found = pattern.exec(source);
    if (!found) throw new TemplateFault(`unexpected "${source[at]}" in ${source.trim()}`);
    at = pattern.lastIndex;
    if (found[1] !== undefined) tokens.push({ kind: "number", value: Number(found[1]) });
    else if (found[2] !== undefined) tokens.push({ kind: "name", text: found[2] });
    else if (found[3] !== undefined) tokens.push({ kind: "string", text: unquoted(found[3]) });
    else if (found[4] !== undefined) tokens.push({ kind: "operator", text: found[4] });
  }
  return tokens;
}

const unquoted = (literal: string): string =>
  literal.slice(1, -1).replace(/\\([\s\S])/g, (_, character: string) => escapes[character] ?? character);
