/**
 * `devflow eval check --run`: asks the providers of a suite, checks the answers and stores one run per variant.
 *
 * Exit code 0: every case passed; 1: a case failed; 3: none failed, but some could not be checked; 5: the budget was spent before
 * the end. With `--until decided`: 0: no variant is worse; 1: one is; 3: not decided.
 */
import { join } from "node:path";
import type { CommandContext } from "@devflow/core/command";
import { environmentOf, inheritedEnvironment } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import { proofOfSelf } from "@devflow/core/process-proof";
import { caseKey, clearBeforeRun, openCache } from "@devflow/evals";
import { type EvalCase, loadSuite, type Suite, selectCases } from "@devflow/evals/cases";
import { runName } from "@devflow/evals/compare";
import { partialsFolder } from "@devflow/evals/partials";
import {
  defaultPrompts,
  type MatrixResult,
  type PairStatus,
  type ProviderSpec,
  providerKind,
  providerSpec,
  type RunMatrixOptions,
  readPrompts,
  runMatrix,
  type UntilDecided,
} from "@devflow/evals/runner";
import { openPrices } from "@devflow/prices";
import type { FindTeam } from "../team/team.ts";
import { askedAgents } from "./asked-agents.ts";
import { type CheckInput, isOn, tierOf, usage } from "./check-input.ts";
import { exitOf, quoted, viewOf } from "./check-report.ts";
import { judgeSettings } from "./judge-settings.ts";
import { type KeptRun, keepRun, runFacts } from "./keep-run.ts";
import { runOf } from "./pick-runs.ts";
import { matrixLines, progressLines, startLines, stoppedLines } from "./run-suite-view.ts";
import { withProgress } from "./with-progress.ts";
import { withStore } from "./with-store.ts";

const budgetExit = 5;
/** With `--until`: more repeats than this rarely decide anything. */
const mostRepeats = 20;

export async function runSuite(input: CheckInput, context: CommandContext, findTeam: FindTeam): Promise<number> {
  const { home } = context.config();
  const variables = environmentOf(context.env);
  if (input.paths.length === 0) throw usage("<cases> is missing.");
  const tier = tierOf(input, context);
  const suite = await loadSuite({
    patterns: input.paths,
    root: context.cwd,
    ...(input.suite === undefined ? {} : { suite: input.suite }),
  });
  for (const warning of suite.warnings) context.output.note(`warning  ${warning}`);
  const cases = selectCases(suite.cases, { tier, tags: input.tag, withoutTags: input.skipTag, names: input.case });
  const providers = providersOf(input, suite);
  const options: RunMatrixOptions = {
    home,
    suite: suite.name,
    cases,
    providers,
    prompts: await promptsOf(input, suite, cases, providers, context),
    repeats: input.repeats ?? (input.until ? mostRepeats : 1),
    until: input.until && (await untilOf(input, context)),
    tier,
    facts: await runFacts({ label: input.label, tier }, context),
    context: {
      env: context.env,
      childEnv: inheritedEnvironment(context.env),
      cwd: context.cwd,
      agents: await askedAgents(providers, context),
    },
    prices: await openPrices({ overlayFile: join(home, "prices.json") }),
    maxUsd: input.maxUsd,
    concurrency: input.concurrency,
    judge: input.judge
      ? await judgeSettings({ ...input, isFullRun: tier === "full", caseFiles: suite.files }, context)
      : undefined,
    partialsFolder: partialsFolder(home, suite.name),
    verboseFolder: isOn(variables.EVAL_VERBOSE) ? join(home, "log", "evals") : undefined,
    cacheHome: input.cache && variables.EVAL_CACHE !== "0" ? home : undefined,
    fresh: input.fresh,
    signal: context.signal,
  };
  if (input.until && !input.against && providers.length * options.prompts.length < 2) {
    throw usage("--until decided compares variants, and there is only one. Name an earlier run: --against <run>");
  }
  if (isOn(variables.EVAL_CACHE_CLEAR)) await clearBeforeRun(home, openCache(home), proofOfSelf());
  const view = viewOf({ suite: suite.name, tier }, context);
  const ended = await withProgress(context, (draw) =>
    runMatrix({
      ...options,
      onStart: (start) => {
        for (const line of startLines(start, options)) context.output.note(line);
      },
      onProgress: (progress) => draw(() => progressLines(progress, view)),
    }),
  );
  if (!ended) {
    context.output.note("Stopped before the end. What was answered is kept; to continue, repeat the command.");
    return 130;
  }
  const { done: result, wipe } = ended;
  if (result.end === "budget") result.close();
  if (result.end === "budget") return stopped(result, { suite, input, wipe }, context);
  const kept: KeptRun[] = [];
  for (const [index, run] of result.runs.entries()) {
    const part = result.runs.length > 1 ? `${index + 1}` : undefined;
    kept.push(await keepRun(run, { ...input, part, findTeam }, context));
  }
  await result.forget();
  const text = matrixLines(result, kept, view);
  context.output.result({ ...answerOf(result, input), ...storedOf(kept) }, `${wipe}${text.join("\n")}`);
  return input.until ? decidedExit(result) : worstExit(result);
}

/** A failed case outranks one that could not be checked. */
function worstExit({ runs }: MatrixResult): number {
  const exits = runs.map(exitOf);
  return exits.includes(1) ? 1 : exits.includes(3) ? 3 : 0;
}

function decidedExit({ findings }: MatrixResult): number {
  if (findings.some(({ verdict }) => verdict === "regression")) return 1;
  return findings.every(({ isDecided }) => isDecided) ? 0 : 3;
}

interface Stopped {
  readonly suite: Suite;
  readonly input: CheckInput;
  readonly wipe: string;
}

function stopped(result: MatrixResult, { suite, input, wipe }: Stopped, context: CommandContext): number {
  const view = viewOf({ suite: suite.name, tier: tierOf(input, context) }, context);
  const next = `devflow eval push --partials ${quoted(suite.name)}`;
  const lines = [...matrixLines(result, [], view), ...stoppedLines(result, input.maxUsd ?? 0, next)];
  context.output.result({ ...answerOf(result, input), stored: [] }, `${wipe}${lines.join("\n")}`);
  return budgetExit;
}

function answerOf({ end, runs, titles, findings, calls, done, spentUsd, unpriced }: MatrixResult, input: CheckInput) {
  return {
    end,
    calls,
    done,
    spent_usd: spentUsd,
    max_usd: input.maxUsd ?? null,
    unpriced,
    variants: runs.map(({ all_results: _results, ...run }, index) => ({ title: titles[index], ...run })),
    findings,
  };
}

const storedOf = (kept: readonly KeptRun[]) => ({
  files: kept.map(({ file }) => file),
  stored: kept.flatMap(({ line }) => (line ? [`${line.suite}/${line.runId}`] : [])),
  team: kept[0]?.team ?? null,
});

function providersOf({ provider, model }: CheckInput, { plan, name }: Suite): readonly ProviderSpec[] {
  if (model !== undefined) {
    throw usage("--model names the model of outputs that exist. To ask a model: --provider anthropic:<model>");
  }
  if (provider.length === 0) {
    if (plan?.providers) return plan.providers;
    throw new DevflowError("input_invalid", {
      details: {
        problem: `The suite ${name} has no providers.`,
        next: "Add providers to it, or name one: --provider anthropic:<model>",
      },
    });
  }
  return provider.map((id) => {
    const parsed = providerSpec.safeParse(id);
    if (parsed.success) return parsed.data;
    throw usage(`--provider: ${parsed.error.issues[0]?.message ?? `${id} is not a provider`}.`);
  });
}

async function promptsOf(
  { prompt }: CheckInput,
  { plan }: Suite,
  cases: readonly EvalCase[],
  providers: readonly ProviderSpec[],
  { cwd }: CommandContext,
) {
  const place = { root: cwd, file: prompt.length > 0 ? cwd : (plan?.file ?? cwd) };
  const named = prompt.map((file) => ({ name: file, file, output: "text" as const }));
  const specs = named.length > 0 ? named : plan?.prompts;
  if (specs) return await readPrompts(specs, place);
  const areApps = providers.every(({ id }) => {
    const kind = providerKind(id);
    return "is" in kind && (kind.is === "command" || kind.is === "endpoint");
  });
  return defaultPrompts(cases, areApps);
}

/** The results of the earlier run by case, in the order of its repeats. */
async function untilOf({ against }: CheckInput, context: CommandContext): Promise<UntilDecided> {
  if (against === undefined) return {};
  return await withStore(context, async (store) => {
    const { line } = await runOf(store, against);
    const byCase = new Map<string, { repeat: number; status: PairStatus }[]>();
    for await (const block of store.allResults(runName(line))) {
      for (const { name, inputSha, repeat, status } of block) {
        const key = caseKey(name, inputSha);
        byCase.set(key, [...(byCase.get(key) ?? []), { repeat, status }]);
      }
    }
    const statuses = ({ name, inputSha }: EvalCase) =>
      (byCase.get(caseKey(name, inputSha)) ?? []).toSorted((a, b) => a.repeat - b.repeat).map(({ status }) => status);
    return { against: { title: line.label, statuses } };
  });
}
