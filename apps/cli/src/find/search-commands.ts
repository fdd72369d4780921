/**
 * Searches command records by words.
 *
 * - `searchCommands(commands, text)` the commands that mention every word, best first; if there are none, those that mention
 *   any. A word matches at the beginning of a word, so that `approv` finds approve and approval.
 */
import { type AnyCommand, optionsOf } from "@devflow/core/command";

/** What a match is worth, by where it is. */
const weights = { name: 8, summary: 4, description: 2, option: 1 } as const;

export function searchCommands(commands: readonly AnyCommand[], text: string): AnyCommand[] {
  const words = wordsOf(text).map(stem);
  const scored = commands
    .filter((one) => !one.hidden && one.name !== "find")
    .map((command) => ({ command, scores: words.map((word) => scoreOf(command, word)) }));
  const all = scored.filter(({ scores }) => scores.every((score) => score > 0));
  const found = all.length > 0 ? all : scored.filter(({ scores }) => scores.some((score) => score > 0));
  const total = (scores: readonly number[]) => scores.reduce((sum, score) => sum + score, 0);
  return found.sort((a, b) => total(b.scores) - total(a.scores)).map(({ command }) => command);
}

/** Words that say nothing about a command. */
const fillers = new Set([..."a an and the to of in on for my it its is are do does i how what with".split(" ")]);

function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\d]+/gu) ?? [];
  const telling = words.filter((word) => !fillers.has(word));
  return telling.length > 0 ? telling : [...words];
}

/** Plurals and the commonest endings, so that "changes" finds "change". */
const stem = (word: string): string => (word.length > 4 ? word.replace(/(?:ing|ed|es|s|e)$/, "") : word);

function scoreOf({ name, summary, description = "", args, examples }: AnyCommand, word: string): number {
  const places: readonly (readonly [keyof typeof weights, string])[] = [
    ["name", name],
    ["summary", summary],
    ["description", description],
    [
      "option",
      optionsOf(args)
        .map((one) => `${one.flag} ${one.summary}`)
        .join(" "),
    ],
    ["option", examples.map((one) => `${one.run} ${one.does}`).join(" ")],
  ];
  return places.reduce((score, [place, text]) => score + (mentions(text, word) ? weights[place] : 0), 0);
}

const mentions = (text: string, word: string): boolean => wordsOf(text).some((one) => one.startsWith(word));
