/**
 * Other people's text on its way to an agent. A decision, a handoff, a branch or a file's name may have been written to be read by one.
 *
 * - `quoted(text, longest)` one line in double quotes, which stand nowhere inside it; nothing in it can end the block around it, start a
 *   line of its own, or hide from a person who reads along.
 * - `bare(name)` a name without the quotes. It stands in brackets among other facts, so only what names are made of is left.
 * - `shellWord(word)` a word of a command that an agent may run as it is: a branch may be called `$(…)`, and a file `--force`.
 * - `marked(name, lines)` a block; none of its lines can end it.
 */
import { shortLine } from "@devflow/core/plain-text";

/** Variation selectors, private and unassigned characters are left after `shortLine`: a model reads them, a person sees nothing. */
const unseen = /[\p{C}\p{DI}]/gu;
/** With those that look like them. */
const signs: readonly (readonly [RegExp, string])[] = [
  [/[<＜﹤]/g, "‹"],
  [/[>＞﹥]/g, "›"],
  [/[`"＂｀“”„‟〝〞]/g, "'"],
  [/devflow-/gi, "devflow "],
];

export function quoted(text: string, longest: number): string {
  const line = shortLine(text, longest).replace(unseen, "").trim();
  // Backslashes stay single: nobody has to read the text as JSON.
  return `"${signs.reduce((made, [sign, instead]) => made.replace(sign, instead), line)}"`;
}

export const bare = (name: string): string =>
  quoted(name, 60)
    .slice(1, -1)
    .replace(/[^\p{L}\p{M}\p{N} .'@_()+-]/gu, "");

export function shellWord(word: string): string {
  const line = shortLine(word, 300).replace(unseen, "").replace(/^-/, "./-");
  return /^[\w./@:+=-]+$/.test(line) ? line : `'${line.replaceAll("'", "'\\''")}'`;
}

export function marked(name: string, lines: readonly string[]): string {
  const inside = lines.map((line) => line.replace(/[<＜﹤](?=\/?\s*devflow-)/gi, "‹"));
  return [`<devflow-${name}>`, ...inside, `</devflow-${name}>`].join("\n");
}
