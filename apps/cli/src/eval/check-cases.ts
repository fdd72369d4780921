/**
 * `devflow eval check <cases> <outputs>`: cases and outputs in, a result file and a stored run out. Needs no server.
 *
 * Exit code 0: every case passed; 1: a case failed; 3: none failed, but some could not be checked.
 */
import { access, constants, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { CommandContext } from "@devflow/core/command";
import { environmentOf, inheritedEnvironment } from "@devflow/core/config";
import { proofOfSelf } from "@devflow/core/process-proof";
import { clearBeforeRun, openCache } from "@devflow/evals";
import { loadSuite, selectCases } from "@devflow/evals/cases";
import { type CheckSuiteOptions, checkSuite, type OutputSource } from "@devflow/evals/check";
import { partialsFolder } from "@devflow/evals/partials";
import { selfArgv } from "../server/self.ts";
import type { FindTeam } from "../team/team.ts";
import { type CheckInput, isOn, tierOf, usage, workersOf } from "./check-input.ts";
import { exitOf, quoted, reportRun, viewOf } from "./check-report.ts";
import { progressLines } from "./check-view.ts";
import { judgeSettings } from "./judge-settings.ts";
import { keepRun, runFacts } from "./keep-run.ts";
import { withProgress } from "./with-progress.ts";

export async function checkCases(input: CheckInput, context: CommandContext, findTeam: FindTeam): Promise<number> {
  const { home } = context.config();
  const variables = environmentOf(context.env);
  const { cases: patterns, outputs } = await targetsOf(input, context);
  const tier = tierOf(input, context);
  const suite = await loadSuite({
    patterns,
    root: context.cwd,
    ...(input.suite === undefined ? {} : { suite: input.suite }),
  });
  for (const warning of suite.warnings) context.output.note(`warning  ${warning}`);
  const cases = selectCases(suite.cases, { tier, tags: input.tag, withoutTags: input.skipTag, names: input.case });
  const options: CheckSuiteOptions = {
    suite: suite.name,
    cases,
    outputs,
    tier,
    facts: await runFacts({ label: input.label, tier, model: input.model }, context),
    judge: input.judge
      ? await judgeSettings({ ...input, isFullRun: tier === "full", caseFiles: suite.files }, context)
      : undefined,
    partialsFolder: partialsFolder(home, suite.name),
    verboseFolder: isOn(variables.EVAL_VERBOSE) ? join(home, "log", "evals") : undefined,
    cacheHome: input.cache && variables.EVAL_CACHE !== "0" ? home : undefined,
    workers: workersOf(input, context),
    workerCommand: [...selfArgv(), "eval", "check-worker"],
    workerEnv: inheritedEnvironment(context.env),
    assertions: {
      codeCommand: [...selfArgv(), "eval", "code-worker"],
      folder: context.cwd,
      env: inheritedEnvironment(context.env),
    },
    signal: context.signal,
  };
  if (isOn(variables.EVAL_CACHE_CLEAR)) await clearBeforeRun(home, openCache(home), proofOfSelf());
  const view = viewOf(options, context);
  const ended = await withProgress(context, (draw) =>
    checkSuite({ ...options, onProgress: (progress) => draw(() => progressLines(progress, view)) }),
  );
  if (!ended) {
    const next = `devflow eval push --partials ${quoted(suite.name)}`;
    context.output.note(`Stopped before the end. Finished results are kept; to store them: ${next}`);
    return 130;
  }
  const { done: checked, wipe } = ended;
  const kept = await keepRun(checked.run, { ...input, findTeam }, context);
  await checked.removePartials();
  reportRun(checked, kept, context, { wipe });
  return exitOf(checked.run);
}

/** The last path is the outputs and the others are cases; with a command, all paths are cases. */
async function targetsOf(
  { paths, command, timeout, repeats }: CheckInput,
  context: CommandContext,
): Promise<{ cases: readonly string[]; outputs: OutputSource }> {
  if (command && command.length > 0) {
    if (paths.length === 0) throw usage("<cases> is missing.");
    return {
      cases: paths,
      outputs: {
        kind: "command",
        command: {
          argv: command,
          cwd: context.cwd,
          timeoutMs: Math.round(timeout * 1000),
          env: inheritedEnvironment(context.env),
        },
        repeats: repeats ?? 1,
      },
    };
  }
  const last = paths.at(-1);
  if (last === undefined || paths.length < 2)
    throw usage("<outputs> is missing: a file, a folder, or -- and a command; or --run to ask the suite's providers.");
  const path = resolve(context.cwd, last);
  if (await isProgram(path)) {
    throw usage(
      `${last} is a program, not a file of outputs. To run it for each case: devflow eval check ${paths.slice(0, -1).join(" ")} -- ${last}`,
    );
  }
  return { cases: paths.slice(0, -1), outputs: { kind: "path", path } };
}

async function isProgram(path: string): Promise<boolean> {
  const facts = await stat(path).catch(() => undefined);
  if (!facts?.isFile() || /\.(?:jsonl?|ndjson)$/.test(path)) return false;
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
