/**
 * `devflow eval check`: cases and outputs in, a result file and a stored run out. Needs no server.
 *
 * Exit code 0: every case passed; 1: a case failed; 3: none failed, but some could not be checked.
 */
import { access, constants, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { CommandContext, HandlerOf, InputOf } from "@devflow/core/command";
import { environmentOf, inheritedEnvironment } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import { proofOfSelf } from "@devflow/core/process-proof";
import { clearBeforeRun, type EvalTier, evalTiers, openCache } from "@devflow/evals";
import { loadSuite, readYaml, selectCases } from "@devflow/evals/cases";
import { type CheckedSuite, type CheckSuiteOptions, checkSuite, type OutputSource } from "@devflow/evals/check";
import { partialsFolder } from "@devflow/evals/partials";
import { isPromptfooConfig } from "@devflow/evals/promptfoo";
import { selfArgv } from "../server/self.ts";
import type { FindTeam } from "../team/team.ts";
import type { evalCheckRecord } from "./check-commands.ts";
import { exitOf, quoted, reportRun, viewOf } from "./check-report.ts";
import { progressLines } from "./check-view.ts";
import { judgeSettings } from "./judge-settings.ts";
import { keepRun, runFacts } from "./keep-run.ts";
import { liveLines } from "./live-lines.ts";

type CheckInput = InputOf<typeof evalCheckRecord>;

export const checkWith =
  (findTeam: FindTeam): HandlerOf<typeof evalCheckRecord> =>
  async (input, context) => {
    if (asksItself(input)) return await (await import("./run-suite.ts")).runSuite(input, context, findTeam);
    const { home } = context.config();
    const variables = environmentOf(context.env);
    const promptfoo = await promptfooConfig(input, context);
    if (promptfoo !== undefined) {
      const { checkPromptfooSuite } = await import("./check-promptfoo.ts");
      return await checkPromptfooSuite(
        promptfoo,
        { ...input, tier: input.tier ?? tierNamed(variables.EVAL_TIER) },
        findTeam,
        context,
      );
    }
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
      workers: input.workers ?? workersNamed(variables.EVAL_WORKERS),
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
    const done = await withProgress(options, context).catch((error: unknown) => {
      if (!context.signal.aborted) throw error;
      return undefined;
    });
    if (!done) {
      const next = `devflow eval push --partials ${quoted(suite.name)}`;
      context.output.note(`Stopped before the end. Finished results are kept; to store them: ${next}`);
      return 130;
    }
    const { checked, wipe } = done;
    const kept = await keepRun(checked.run, { ...input, findTeam }, context);
    await checked.removePartials();
    reportRun(checked, kept, context, { wipe });
    return exitOf(checked.run);
  };

export const isOn = (value: string | undefined): boolean => value !== undefined && value !== "" && value !== "0";

/** Options that only make sense when providers are asked. */
function asksItself({ run, provider, prompt, maxUsd, until, against, fresh, command }: CheckInput): boolean {
  if (run || provider.length > 0) {
    if (command && command.length > 0) throw usage("--run asks providers; to run a command for each case, omit it.");
    return true;
  }
  const given = { "--prompt": prompt.length > 0, "--max-usd": maxUsd !== undefined, "--until": until !== undefined };
  const more = { "--against": against !== undefined, "--fresh": fresh };
  const [alone] = Object.entries({ ...given, ...more }).filter(([, isGiven]) => isGiven);
  if (alone) throw usage(`${alone[0]} needs --run, or a --provider.`);
  return false;
}

/** The path of a promptfoo suite, if that is all that was given. */
async function promptfooConfig({ paths, command }: CheckInput, context: CommandContext): Promise<string | undefined> {
  const [only] = paths;
  if (only === undefined || paths.length > 1 || command?.length) return undefined;
  const given = resolve(context.cwd, only);
  const facts = await stat(given).catch(() => undefined);
  const names = ["yaml", "yml", "json", "js", "cjs", "mjs", "ts", "cts", "mts"].map(
    (kind) => `promptfooconfig.${kind}`,
  );
  const candidates = facts?.isDirectory() ? names.map((name) => join(given, name)) : [given];
  for (const path of candidates) {
    if (/\.(?:ya?ml|json)$/.test(path)) {
      const bytes = await readFile(path).catch(() => undefined);
      // A file that is not YAML is reported where cases are read, with its line.
      const { documents } = bytes ? readYaml(bytes, path) : { documents: [] };
      if (documents.length === 1 && isPromptfooConfig(documents[0]?.value)) return path;
    } else if (/promptfooconfig\.[cm]?[jt]s$/.test(path) && (await stat(path).catch(() => undefined))?.isFile())
      return path;
  }
  return undefined;
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

export function usage(problem: string): DevflowError {
  return new DevflowError("usage", { details: { problem, next: "See the usage: devflow eval check --help" } });
}

export function tierOf({ tier }: Pick<CheckInput, "tier">, context: CommandContext): EvalTier {
  return tier ?? tierNamed(environmentOf(context.env).EVAL_TIER);
}

function tierNamed(word: string | undefined): EvalTier {
  if (!word) return "standard";
  const tier = evalTiers.find((one) => one === word.trim().toLowerCase());
  if (tier) return tier;
  throw new DevflowError("input_invalid", {
    details: { problem: `EVAL_TIER is "${word}", which is not a tier.`, next: `Use one of: ${evalTiers.join(", ")}` },
  });
}

function workersNamed(word: string | undefined): number {
  if (!word) return 1;
  const count = Number(word);
  if (Number.isInteger(count) && count >= 1 && count <= 256) return count;
  throw new DevflowError("input_invalid", {
    details: {
      problem: `EVAL_WORKERS is "${word}", which is out of range.`,
      next: "Use a whole number from 1 to 256.",
    },
  });
}

/** `wipe` erases the progress bar; print it before the next output. */
async function withProgress(
  options: CheckSuiteOptions,
  context: CommandContext,
): Promise<{ readonly checked: CheckedSuite; readonly wipe: string }> {
  const { output } = context;
  const live = output.isTerminal && !output.json ? liveLines(output) : undefined;
  const view = viewOf(options, context);
  const checked = await checkSuite({
    ...options,
    onProgress: (progress) => live?.draw(progressLines(progress, view)),
  });
  return { checked, wipe: live?.wipe() ?? "" };
}
