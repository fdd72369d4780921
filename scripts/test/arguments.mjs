/**
 * What `npm test -- …` was asked to do.
 *
 * - `parseArguments(words)` paths, `-t <pattern>`, `--file-limit <seconds>`; throws `UsageProblem` for anything else.
 */
export class UsageProblem extends Error {}

const usage = "Use: npm test -- [file or folder …] [-t <name pattern>] [--file-limit <seconds>]";
const fileLimitMs = 10 * 60_000;

/** @param {readonly string[]} words */
export function parseArguments(words) {
  /** @type {{ paths: string[], namePattern: string | undefined, limitMs: number }} */
  const parsed = { paths: [], namePattern: undefined, limitMs: fileLimitMs };
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? "";
    const next = words[index + 1];
    if (!word.startsWith("-")) {
      parsed.paths.push(word);
      continue;
    }
    if (next === undefined) throw new UsageProblem(`${word} needs a value. ${usage}`);
    index += 1;
    if (word === "-t" || word === "--test-name-pattern") parsed.namePattern = next;
    else if (word === "--file-limit" && Number(next) > 0) parsed.limitMs = Number(next) * 1000;
    else throw new UsageProblem(`npm test does not know ${word} ${next}. ${usage}`);
  }
  return parsed;
}
