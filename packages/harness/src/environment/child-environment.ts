/**
 * The environment of agents and commands: the variables of `passed-variables.ts` and what a person or a repository added.
 *
 * - `childEnvironment(env, added)` the variables of a command.
 * - `agentEnvironment(env, added)` those of an agent, which may also call `devflow`.
 * - `environmentSecrets(env)` the values in `env` that must not appear in any log.
 */
import { delimiter, isAbsolute } from "node:path";
import type { Environment } from "@devflow/core/config";
import { redactSecrets } from "@devflow/redact";
import { isPassed, isTelling, repositoryFault } from "./passed-variables.ts";

export interface AddedVariables {
  /** Names that the person allowed: `pass_environment`. Devflow's own variables cannot be among them. */
  readonly person?: readonly string[] | undefined;
  /** Names from the repository's `.devflow.json`. */
  readonly repository?: readonly string[] | undefined;
}

export function childEnvironment(env: Environment, added: AddedVariables = {}): Record<string, string> {
  const { person = [], repository = [] } = added;
  const isAllowed = (name: string, value: string): boolean => {
    if (name.startsWith("DEVFLOW_")) return false;
    if (isPassed(name) || person.includes(name)) return true;
    // A harmless name may have a secret as its value.
    return repository.includes(name) && !repositoryFault(name) && redactSecrets(value).found.length === 0;
  };
  const passed = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && isAllowed(name, value) ? [[name, value] as const] : [],
  );
  return { ...Object.fromEntries(passed), PATH: absoluteEntries(env.PATH) };
}

/** The home, so that `devflow` finds its server; the tag, by which tests find what they started. */
const ofDevflow = ["DEVFLOW_HOME", "DEVFLOW_TEST_TAG"] as const;

export function agentEnvironment(env: Environment, added: AddedVariables = {}): Record<string, string> {
  const own = ofDevflow.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return { ...childEnvironment(env, added), ...Object.fromEntries(own) };
}

const shortest = 8;

export function environmentSecrets(env: Environment): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && value.length >= shortest && isTelling(name) && !isAbsolute(value) ? [value] : [],
  );
}

/** With a "." in PATH, a file of the worktree could replace a program of the machine. */
function absoluteEntries(path: string | undefined): string {
  const entries = (path ?? "").split(delimiter).filter((entry) => isAbsolute(entry));
  return entries.length > 0 ? entries.join(delimiter) : "/usr/local/bin:/usr/bin:/bin";
}
