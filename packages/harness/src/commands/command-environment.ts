/**
 * The environment of a command: the user's own, without Devflow's variables, without anything that redirects git, and
 * without anything that looks like a token.
 *
 * - `commandEnvironment(env, keep)` the variables; `keep` names tokens that this command needs (`NPM_TOKEN`).
 */
import { delimiter, isAbsolute } from "node:path";
import type { Environment } from "@devflow/core/config";

const telling =
  /(^|_)(TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|API_?KEY|ACCESS_?KEY(_ID)?|PRIVATE_?KEY)(_|$)/i;

export function commandEnvironment(env: Environment, keep: readonly string[] = []): Record<string, string> {
  const kept = Object.entries(env).flatMap(([name, value]) =>
    value === undefined || (isWithheld(name) && !keep.includes(name)) ? [] : [[name, value] as const],
  );
  return { ...Object.fromEntries(kept), PATH: absoluteEntries(env.PATH) };
}

function isWithheld(name: string): boolean {
  return /^(DEVFLOW|GIT)_/.test(name) || telling.test(name);
}

/** With a "." in PATH, a file of the worktree could replace a program of the machine. */
function absoluteEntries(path: string | undefined): string {
  const entries = (path ?? "").split(delimiter).filter((entry) => isAbsolute(entry));
  return entries.length > 0 ? entries.join(delimiter) : "/usr/local/bin:/usr/bin:/bin";
}
