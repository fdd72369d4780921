/**
 * The arguments of `npm test -- …`.
 *
 * - `parseArguments(words)` paths, `-t <pattern>`, `--changed [base]`, `-u`, `--file-limit <seconds>`; throws
 *   `UsageProblem` for anything else.
 */
export class UsageProblem extends Error {}

const usage =
  "Use: npm test -- [file or folder …] [-t <name pattern>] [--changed [<base, usually main>]] [-u to update snapshots] " +
  "[--file-limit <seconds>]";
const fileLimitMs = 10 * 60_000;

/**
 * @typedef {object} Arguments
 * @property {string[]} paths
 * @property {string | undefined} namePattern
 * @property {{ base: string | undefined } | undefined} changed only what the changes since `base` can break
 * @property {boolean} updates snapshots become what the tests see now
 * @property {number} limitMs
 *
 * @param {readonly string[]} words
 * @returns {Arguments}
 */
export function parseArguments(words) {
  /** @type {Arguments} */
  const parsed = { paths: [], namePattern: undefined, changed: undefined, updates: false, limitMs: fileLimitMs };
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? "";
    const next = words[index + 1];
    if (!word.startsWith("-")) {
      parsed.paths.push(word);
      continue;
    }
    if (word === "-u" || word === "--update-snapshots") {
      parsed.updates = true;
      continue;
    }
    if (word === "--changed") {
      const base = next?.startsWith("-") ? undefined : next;
      parsed.changed = { base };
      if (base !== undefined) index += 1;
      continue;
    }
    if (next === undefined) throw new UsageProblem(`${word} needs a value. ${usage}`);
    index += 1;
    if (word === "-t" || word === "--test-name-pattern") parsed.namePattern = next;
    else if (word === "--file-limit" && Number(next) > 0) parsed.limitMs = Number(next) * 1000;
    else throw new UsageProblem(`npm test does not know ${word} ${next}. ${usage}`);
  }
  if (parsed.changed && parsed.paths.length > 0) {
    throw new UsageProblem(`--changed chooses the files itself; leave out ${parsed.paths.join(" ")}. ${usage}`);
  }
  return parsed;
}
