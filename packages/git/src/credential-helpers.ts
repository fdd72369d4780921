/**
 * The credential helpers that the person or the system configured, for a call that has to sign in to a remote.
 *
 * - `userCredentialHelpers(run)` their settings, in git's order. A repository's own configuration is not read: it could name
 *   any program.
 */
import type { ProcessResult } from "./run-bounded.ts";

type Setting = readonly [name: string, value: string];

export async function userCredentialHelpers(
  run: (words: readonly string[]) => Promise<ProcessResult>,
): Promise<Setting[]> {
  const found: Setting[] = [];
  for (const level of ["--system", "--global"]) {
    const words = ["config", level, "--includes", "-z", "--get-regexp", "^credential\\.(.*\\.)?helper$"];
    const { stdout, exit } = await run(words);
    // 1: there are none; others: there is no such file.
    if (exit === 0) found.push(...parseSettings(stdout.toString("utf8")));
  }
  return found;
}

/** `name\nvalue\0`; a name without a value has no line break. */
function parseSettings(text: string): Setting[] {
  return text
    .split("\0")
    .filter(Boolean)
    .map((entry) => {
      const at = entry.indexOf("\n");
      return at < 0 ? [entry, ""] : [entry.slice(0, at), entry.slice(at + 1)];
    });
}
