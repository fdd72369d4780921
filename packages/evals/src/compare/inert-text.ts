/**
 * What a model or a file wrote, made harmless in Markdown: it may hold HTML, Markdown, mentions, and what
 * `@devflow/core/plain-text` takes out.
 *
 * - `codeSpan(text)`, `codeBlock(text)` for Markdown, `htmlCode(text)` for HTML inside it: nothing inside is read as
 *   anything but text, GitHub mentions nobody in code.
 * - `plainMarkdown(text)` a sentence of ours that may quote a name.
 */
import { plainText, shortLine } from "@devflow/core/plain-text";

export function codeSpan(text: string, longest = 120): string {
  const flat = shortLine(text, longest) || "(empty)";
  const ticks = "`".repeat(longestRun(flat) + 1);
  const pad = flat.startsWith("`") || flat.endsWith("`") ? " " : "";
  // A table splits at every bar, also inside code; GitHub takes the backslash away again.
  return `${ticks}${pad}${flat.replaceAll("|", "\\|")}${pad}${ticks}`;
}

export function codeBlock(text: string, language = ""): string {
  const body = plainText(text);
  const fence = "`".repeat(Math.max(3, longestRun(body) + 1));
  return `${fence}${language}\n${body}\n${fence}`;
}

export function htmlCode(text: string, longest = 80): string {
  return `<code>${escapeHtml(shortLine(text, longest))}</code>`;
}

export function plainMarkdown(text: string): string {
  const escaped = escapeHtml(shortLine(text, 500)).replace(/[\\`*_[\]~|]/g, (mark) => `&#${mark.charCodeAt(0)};`);
  // Mentions, issue numbers and bare addresses are found in the finished page, where entities are characters again:
  // only a character between breaks them.
  return escaped.replace(/@|#(?=\d)(?<!&#)|:(?=\/\/)|www(?=\.)/g, (mark) => `${mark}\u200b`);
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}
