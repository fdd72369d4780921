/**
 * How the scripts of a suite are run: a program that stays, and reads calls and writes answers as a code worker does.
 *
 * - `scriptCommand(language, program)` starts it. Each call loads the script anew; what the script imports stays loaded.
 */
export const scriptLanguages = ["python", "ruby"] as const;
export type ScriptLanguage = (typeof scriptLanguages)[number];

const python = `
import asyncio, inspect, json, os, sys, types
answers = os.fdopen(3, "w", encoding="utf-8")
os.set_inheritable(3, False)

def load(job):
    path = job.get("file") or "<suite>"
    module = types.ModuleType("suite_script")
    module.__file__ = path
    sys.modules["suite_script"] = module
    if job.get("file"):
        folder = os.path.dirname(os.path.abspath(path))
        if folder not in sys.path:
            sys.path.insert(0, folder)
        with open(path, encoding="utf-8") as file:
            code = file.read()
    else:
        code = job["code"]
    exec(compile(code, path, "exec"), module.__dict__)
    return module

def call(job):
    target = load(job)
    for part in job["name"].split("."):
        target = getattr(target, part)
    value = target(*job["args"])
    if inspect.isawaitable(value):
        async def wait():
            return await value
        value = asyncio.run(wait())
    return value

def plain(value):
    return getattr(value, "__dict__", None) or str(value)

for line in sys.stdin:
    given = json.loads(line)
    try:
        answer = json.dumps({"id": given["id"], "value": call(given["job"])}, default=plain)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            continue
        answer = json.dumps({"id": given["id"], "error": str(error) or type(error).__name__})
    answers.write(answer + "\\n")
    answers.flush()
`;

const ruby = `
require "json"
answers = IO.for_fd(3, "w")
STDIN.each_line do |line|
  given = JSON.parse(line)
  job = given["job"]
  begin
    scope = Object.new
    source = job["file"] ? File.read(job["file"]) : job["code"]
    scope.instance_eval(source, job["file"] || "suite.rb")
    answer = { id: given["id"], value: scope.send(job["name"], *job["args"]) }
  rescue StandardError, ScriptError => error
    answer = { id: given["id"], error: error.message }
  end
  answers.write(JSON.generate(answer) + "\\n")
  answers.flush
end
`;

export function scriptCommand(
  language: ScriptLanguage,
  program: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  if (language === "python") return [program ?? env.PROMPTFOO_PYTHON ?? "python3", "-c", python];
  return [program ?? env.PROMPTFOO_RUBY ?? "ruby", "-e", ruby];
}
