/**
 * What a model or a file wrote, made harmless where it is shown: it may hold escape sequences, HTML, Markdown, mentions
 * or characters that turn the direction of the text.
 *
 * - `oneLine(text, longest)` visible characters on one line, for a terminal or a title.
 * - `visible(text)` the same over several lines.
 * - `codeSpan(text)`, `codeBlock(text)` for Markdown, `htmlCode(text)` for HTML inside it: nothing inside is read as
 *   anything but text, GitHub mentions nobody in code.
 * - `plainMarkdown(text)` a sentence of ours that may quote a name.
 */

const escapeCharacter = String.fromCharCode(27);
const bell = String.fromCharCode(7);
/** What a terminal reads as a command: CSI, OSC up to its end, and the short ones. */
const commands = new RegExp(
  `${escapeCharacter}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${bell}${escapeCharacter}]*(?:${bell}|${escapeCharacter}\\\\)?|[@-Z\\\\^_])`,
  "g",
);
/** Control characters, and what is invisible or turns the text around. */
const unseen = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

export function visible(text: string): string {
  return text.toWellFormed().replace(/\r\n?/g, "\n").replace(commands, "").replace(unseen, "");
}

export function oneLine(text: string, longest = 120): string {
  const flat = visible(text.slice(0, longest * 8 + 1000))
    .replace(/\s+/g, " ")
    .trim();
  const characters = [...flat.slice(0, longest * 2 + 2)];
  return characters.length <= longest ? flat : `${characters.slice(0, longest - 1).join("")}…`;
}

export function codeSpan(text: string, longest = 120): string {
  const flat = oneLine(text, longest) || "(empty)";
  const ticks = "`".repeat(longestRun(flat) + 1);
  const pad = flat.startsWith("`") || flat.endsWith("`") ? " " : "";
  // A table splits at every bar, also inside code; GitHub takes the backslash away again.
  return `${ticks}${pad}${flat.replaceAll("|", "\\|")}${pad}${ticks}`;
}

export function codeBlock(text: string, language = ""): string {
  const body = visible(text);
  const fence = "`".repeat(Math.max(3, longestRun(body) + 1));
  return `${fence}${language}\n${body}\n${fence}`;
}

export function htmlCode(text: string, longest = 80): string {
  return `<code>${escapeHtml(oneLine(text, longest))}</code>`;
}

export function plainMarkdown(text: string): string {
  const escaped = escapeHtml(oneLine(text, 500)).replace(/[\\`*_[\]~|]/g, (mark) => `&#${mark.charCodeAt(0)};`);
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
