/**
 * Makes untrusted text from a model or a file safe in Markdown: it may contain HTML, Markdown, mentions, and what
 * `@devflow/core/plain-text` removes.
 *
 * - `codeSpan(text)`, `codeBlock(text)` for Markdown, `htmlCode(text)` for HTML in Markdown: the content is shown as plain
 *   text, and GitHub ignores mentions in code.
 * - `plainMarkdown(text)` for our own sentences that may quote a name.
 */
import { plainText, shortLine } from "@devflow/core/plain-text";

export function codeSpan(text: string, longest = 120): string {
  const flat = shortLine(text, longest) || "(empty)";
  const ticks = "`".repeat(longestRun(flat) + 1);
  const pad = flat.startsWith("`") || flat.endsWith("`") ? " " : "";
  // A table splits at every bar, even inside code; GitHub removes the backslash.
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
  // GitHub finds mentions, issue numbers and bare URLs in the rendered page, where entities are characters again: only an
  // inserted character breaks them.
  return escaped.replace(/@|#(?=\d)(?<!&#)|:(?=\/\/)|www(?=\.)/g, (mark) => `${mark}\u200b`);
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}
