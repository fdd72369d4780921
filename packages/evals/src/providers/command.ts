/**
 * `commandProvider(words, options)` runs a program for each prompt: its arguments are the prompt, the provider's options and the
 * context as JSON, and what it prints is the answer.
 */
import { runCommand } from "../run-command.ts";
import { type Provider, ProviderFault } from "./provider.ts";

export interface CommandProviderOptions {
  readonly id: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly config: Readonly<Record<string, unknown>>;
  readonly timeoutMs?: number;
}

const usualTimeoutMs = 300_000;
const escapeCodes = new RegExp(`${String.fromCharCode(27)}(?:[@-Z\\\\-_]|\\[[0-?]*[ -/]*[@-~])`, "g");

export function commandProvider(words: readonly string[], options: CommandProviderOptions): Provider {
  const { id, cwd, env, config, timeoutMs = usualTimeoutMs } = options;
  return {
    id,
    async call({ prompt, vars, signal }) {
      const text = typeof prompt === "string" ? prompt : JSON.stringify(prompt);
      const about = [JSON.stringify({ id, config }), JSON.stringify({ vars, prompt: { raw: text, label: text } })];
      const result = await runCommand([...words, text, ...about], { cwd, env, stdin: "", timeoutMs, signal });
      signal.throwIfAborted();
      if ("problem" in result) {
        const isMissing = /could not be started/.test(result.problem);
        throw new ProviderFault(isMissing ? "misconfigured" : "failed", `${id}: ${result.problem}`);
      }
      return { output: result.stdout.trim().replace(escapeCodes, ""), latencyMs: result.durationMs };
    },
  };
}

/** The words of a command line; quotes group words, and nothing else is special. */
export function wordsOf(command: string): string[] {
  return [...command.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double?.replace(/\\(["\\])/g, "$1") ?? single ?? plain ?? "",
  );
}
