/**
 * A command as provider: run once per prompt, without a shell.
 *
 * - `commandProvider(settings)` the command reads `{ prompt, vars }` as JSON on standard input and prints its output: JSON,
 *   plain or as `{ output, usage, cost_usd, error }`; anything else is taken as text.
 */
import { runCommand } from "../run-command.ts";
import { appAnswer } from "./app-answer.ts";
import { type Provider, ProviderFault } from "./provider.ts";

export interface CommandSettings {
  readonly id: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The command's whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
}

export function commandProvider({ id, argv, cwd, env, timeoutMs }: CommandSettings): Provider {
  return {
    id,
    async call({ prompt, vars, signal }) {
      const stdin = JSON.stringify({ prompt, vars });
      const done = await runCommand(argv, { cwd, env, stdin, timeoutMs, signal });
      signal.throwIfAborted();
      if ("problem" in done) {
        const isMissing = done.problem.includes("could not be started");
        throw new ProviderFault(isMissing ? "misconfigured" : "failed", `the command gave no output: ${done.problem}`);
      }
      return appAnswer(jsonOrText(done.stdout), done.durationMs);
    },
  };
}

function jsonOrText(stdout: string): unknown {
  try {
    return JSON.parse(stdout);
  } catch {
    return stdout.trimEnd();
  }
}
