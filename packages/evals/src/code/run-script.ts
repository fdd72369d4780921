/**
 * `callScript(language, source, name, args, options)` calls a function of a Python or Ruby script in another process. What the
 * script prints does not matter.
 *
 * The program is `python3` or `ruby`, or the one that `PROMPTFOO_PYTHON` or `PROMPTFOO_RUBY` names.
 */
import type { CodePool } from "./code-pool.ts";
import type { ScriptLanguage } from "./script-languages.ts";

export interface ScriptOptions {
  readonly code: CodePool;
  readonly timeoutMs?: number;
  /** Default: the language's usual program. */
  readonly program?: string | undefined;
}

const usualTimeoutMs = 60_000;

export async function callScript(
  language: ScriptLanguage,
  source: { readonly file: string } | { readonly code: string },
  name: string,
  args: readonly unknown[],
  { code, timeoutMs = usualTimeoutMs, program }: ScriptOptions,
): Promise<unknown> {
  return await code.run({ kind: "script", language, program, ...source, name, args }, timeoutMs);
}
