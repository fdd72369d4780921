/**
 * Calls functions of Python and Ruby files, each in a process of its own.
 *
 * - `callScript(language, source, name, args, options)` the function's value. What the script prints does not matter.
 *
 * The program is `python3` or `ruby`, or the one that `PROMPTFOO_PYTHON` or `PROMPTFOO_RUBY` names.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "../check/run-command.ts";
import { CodeFailure, CodeLimit } from "./code-pool.ts";

export type ScriptLanguage = "python" | "ruby";

export interface ScriptOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** Default: the language's usual program. */
  readonly program?: string | undefined;
}

const usualTimeoutMs = 60_000;

const python = `
import asyncio, importlib.util, inspect, json, os, sys
out = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)
try:
    given = json.load(sys.stdin)
    sys.path.insert(0, os.path.dirname(os.path.abspath(given["file"])))
    spec = importlib.util.spec_from_file_location("suite_script", given["file"])
    module = importlib.util.module_from_spec(spec)
    sys.modules["suite_script"] = module
    spec.loader.exec_module(module)
    target = module
    for part in given["name"].split("."):
        target = getattr(target, part)
    value = target(*given["args"])
    if inspect.isawaitable(value):
        async def wait(): return await value
        value = asyncio.run(wait())
    answer = {"value": value}
except Exception as error:
    answer = {"error": str(error) or type(error).__name__}
out.write(json.dumps(answer, default=lambda value: getattr(value, "__dict__", str(value))))
out.close()
`;

const ruby = `
require "json"
out = STDOUT.dup
STDOUT.reopen(STDERR)
begin
  given = JSON.parse(STDIN.read)
  load given["file"]
  answer = { value: send(given["name"], *given["args"]) }
rescue StandardError, ScriptError => error
  answer = { error: error.message }
end
out.write(JSON.generate(answer))
`;

export async function callScript(
  language: ScriptLanguage,
  source: { readonly file: string } | { readonly code: string },
  name: string,
  args: readonly unknown[],
  options: ScriptOptions,
): Promise<unknown> {
  if ("file" in source) return await call(language, source.file, name, args, options);
  const folder = await mkdtemp(join(tmpdir(), "devflow-script-"));
  try {
    const file = join(folder, language === "python" ? "script.py" : "script.rb");
    await writeFile(file, source.code, { mode: 0o600 });
    return await call(language, file, name, args, options);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function call(
  language: ScriptLanguage,
  file: string,
  name: string,
  args: readonly unknown[],
  { cwd, env, timeoutMs = usualTimeoutMs, signal, program }: ScriptOptions,
): Promise<unknown> {
  const argv =
    language === "python"
      ? [program ?? env.PROMPTFOO_PYTHON ?? "python3", "-c", python]
      : [program ?? env.PROMPTFOO_RUBY ?? "ruby", "-e", ruby];
  const result = await runCommand(argv, {
    cwd,
    env: { ...env, PYTHONIOENCODING: "utf-8" },
    stdin: JSON.stringify({ file, name, args }),
    timeoutMs,
    signal,
  });
  if ("problem" in result) throw new CodeLimit(`${argv[0]}: ${result.problem}`);
  const answer = JSON.parse(result.stdout) as { value?: unknown; error?: string };
  if (answer.error !== undefined) throw new CodeFailure(answer.error);
  return answer.value;
}
