/**
 * How long a client waits for the daemon. The daemon keeps every deadline itself, so a later answer will not come: its process
 * was stopped, or hangs. Pure, and without any import, since every command loads it.
 *
 * - `patienceMs(words, chosen)` for a command as typed, with the `--timeout` that was chosen, or the one in the words.
 * - `takenMs` more for a daemon that has taken the command, so is known to run.
 */
const defaultMs = 30_000;
/** A deadline is kept to within half a second. */
const slackMs = 500;
/** They wait for nothing. */
const atOnceMs = 1_500;
const atOnce = new Set(["status", "stop", "tabs"]);

/** Commands whose deadline is another one, by the words that name them. */
const otherDeadlines: Readonly<Record<string, number>> = {
  accessibility: 60_000,
  batch: 600_000,
  chain: 600_000,
  download: 60_000,
  task: 600_000,
  verify: 600_000,
  // Its own default, and a moment to say what it waited for.
  wait: 10_250,
};

export const takenMs = 1_000;

export function patienceMs(words: readonly string[], chosen = chosenTimeout(words)): number {
  const name = words.find((word) => !word.startsWith("-")) ?? "";
  if (atOnce.has(name)) return atOnceMs;
  const deadline = chosen === undefined ? (otherDeadlines[name] ?? defaultMs) : chosen + (name === "wait" ? 250 : 0);
  return deadline + slackMs;
}

function chosenTimeout(words: readonly string[]): number | undefined {
  const at = words.findLastIndex((word) => word === "--timeout" || word.startsWith("--timeout="));
  const typed = words[at]?.split("=")[1] ?? words[at + 1];
  const ms = Number(typed);
  return at >= 0 && ms > 0 ? ms : undefined;
}
