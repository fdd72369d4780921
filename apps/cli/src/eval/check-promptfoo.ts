/**
 * `devflow eval check promptfooconfig.yaml`: runs a promptfoo suite as it is, writes its results in promptfoo's format and stores
 * them, one run per prompt and provider. What cannot be run is listed before anything starts.
 *
 * A suite that was killed or stopped goes on where it was. While it runs, `eval watch` shows it. Exit codes are those of
 * `eval check`.
 */
import { dirname, relative } from "node:path";
import type { CommandContext } from "@devflow/core/command";
import { inheritedEnvironment } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import type { EvalTier } from "@devflow/evals";
import { removePartialsOf } from "@devflow/evals/check";
import { openCodePool } from "@devflow/evals/code";
import { importFile } from "@devflow/evals/interop";
import { judgeProvider } from "@devflow/evals/judges";
import { partialsFolder } from "@devflow/evals/partials";
import {
  createProviders,
  loadPromptfooSuite,
  openSuiteRun,
  type PromptfooSuite,
  planSuite,
  runSuite,
  SuiteFault,
  type SuitePartial,
  type SuiteResult,
  suiteFile,
  suiteLacks,
  suitePartial,
} from "@devflow/evals/promptfoo";
import { createProvider, type Provider, providerSpec } from "@devflow/evals/runner";
import { selfArgv } from "../server/self.ts";
import type { FindTeam } from "../team/team.ts";
import type { CheckInput } from "./check-input.ts";
import { exitOf, viewOf } from "./check-report.ts";
import { progressLines } from "./check-view.ts";
import { openCommits } from "./commits.ts";
import { judgeSettings } from "./judge-settings.ts";
import { runFacts } from "./keep-run.ts";
import { type PushedRun, pushedRun } from "./pushed-run.ts";
import { suiteResultPath, writeWhole } from "./suite-result-file.ts";
import { Tally } from "./suite-tally.ts";
import { suiteReport } from "./suite-view.ts";
import { evalTeam } from "./team.ts";
import { withProgress } from "./with-progress.ts";
import { collectGarbage, withStore } from "./with-store.ts";
import { plural } from "./words.ts";

type Input = Omit<CheckInput, "tier"> & { readonly tier: EvalTier };

export async function checkPromptfooSuite(
  path: string,
  input: Input,
  findTeam: FindTeam,
  context: CommandContext,
): Promise<number> {
  const env = inheritedEnvironment(context.env);
  const command = [...selfArgv(), "eval", "code-worker"];
  const { signal } = context;
  const code = openCodePool({ command, cwd: dirname(path), env, workers: input.workers ?? 2, signal });
  try {
    return await check(path, { input, findTeam, context, env, code });
  } catch (error) {
    if (signal.aborted) {
      context.output.note("Stopped; nothing was stored. To continue, repeat the command.");
      return 130;
    }
    if (!(error instanceof SuiteFault)) throw error;
    const problem = `${relative(context.cwd, path)} cannot be read: ${error.message}.`;
    throw new DevflowError("input_invalid", {
      details: { problem, next: "See docs/promptfoo-suites.md" },
      cause: error,
    });
  } finally {
    await code.close();
  }
}

interface Checking {
  readonly input: Input;
  readonly findTeam: FindTeam;
  readonly context: CommandContext;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly code: ReturnType<typeof openCodePool>;
}

async function check(path: string, { input, findTeam, context, env, code }: Checking): Promise<number> {
  const { signal } = context;
  const { home } = context.config();
  const suite = await loadPromptfooSuite(path, { env, code, signal, parseYaml: (text) => Bun.YAML.parse(text) });
  collectGarbage();
  const name = input.suite ?? suite.name;
  const plan = planSuite(suite, (input.repeats ?? 1) > 1 ? (input.repeats ?? 1) : suite.repeats);
  const { label, gitSha, gitBranch } = await runFacts({ label: input.label, tier: input.tier }, context);
  const judge = input.judge
    ? judgeProvider(
        await judgeSettings({ ...input, isFullRun: input.tier === "full", caseFiles: [path] }, context),
        signal,
      )
    : undefined;
  const providers = (remember?: Parameters<typeof createProviders>[0]["remember"]) =>
    createProviders({
      ...{ folder: suite.folder, env: suite.env, code, signal, remember },
      judge: judge && (remember?.(judge, {}) ?? judge),
      providers: suite.providers,
      modelProvider: (id, config, onHeaders) => modelOf(id, config, { ...context, onHeaders }),
    });
  refuse(suite, suiteLacks(suite, providers()), relative(context.cwd, path));
  for (const warning of suite.warnings) context.output.note(`warning  ${warning}`);
  const { columns } = plan;
  const began = Date.now();
  const run = await openSuiteRun(home, {
    ...{ suite: name, tier: input.tier, label, gitSha, columns },
    fresh: input.fresh,
    nowMs: began,
  });
  if (run.resumed)
    context.output.note(`Continues the unfinished run: ${plural(run.resumed.answers, "answer")} so far.`);
  let isStored = false;
  try {
    const factory = providers(run.remember);
    const tools = { folder: suite.folder, env: suite.env, code, models: factory.models, signal };
    const folder = partialsFolder(home, name);
    await removePartialsOf(folder, run.runId);
    const partial = suitePartial(
      folder,
      {
        ...{ run_id: run.runId, suite: name, label, tier: input.tier, planned: plan.total, columns, journal: run.path },
        // Of this process: a continued run is watched as a new one.
        timestamp: new Date(began).toISOString(),
        ...{ git_sha: gitSha, git_branch: gitBranch },
      },
      Date.now,
    );
    const tally = new Tally(plan.total);
    const view = viewOf({ suite: name, tier: input.tier }, context);
    const file = await suiteResultPath(name, input, context);
    const ended = await withProgress(context, (draw) => {
      const results = counted(runSuite(suite, { plan, factory, tools }), { tally, partial }, () =>
        draw(() => progressLines(tally.progress(), view)),
      );
      const facts = { runId: run.runId, at: run.at, suite: name, columns, label, gitSha, gitBranch, now: Date.now };
      return writeWhole(suiteFile(results, facts), file);
    });
    if (!ended) {
      await partial.flush();
      context.output.note("Stopped before the end. What was answered is kept; to continue, repeat the command.");
      return 130;
    }
    await partial.finish();
    collectGarbage();
    const runs = input.push ? await store(file, input.tier, findTeam, context) : [];
    await partial.remove();
    isStored = true;
    const answer = {
      suite: name,
      total: plan.total,
      ...tally.counts,
      problems: tally.problems,
      file,
      runs: runs.map(({ suite: one, runId: id }) => `${one}/${id}`),
      warnings: suite.warnings,
    };
    context.output.result(answer, ended.wipe + suiteReport({ tally, runs, file }, view).join("\n"));
    return exitOf(tally.counts);
  } finally {
    await (isStored ? run.forget() : run.close());
  }
}

/** promptfoo's names of models, asked as `eval check --run` asks them. */
function modelOf(
  id: string,
  config: Readonly<Record<string, unknown>>,
  { env, cwd, onHeaders }: Pick<CommandContext, "env" | "cwd"> & { readonly onHeaders: (headers: Headers) => void },
): Provider | string {
  const text = (name: string) => (typeof config[name] === "string" ? config[name] : undefined);
  const number = (name: string) => (typeof config[name] === "number" ? config[name] : undefined);
  const spec = providerSpec.safeParse({
    // promptfoo asks for chat completions where the name does not say otherwise.
    id: id.replace(/^openai:(?!chat:|responses:)/, "openai:chat:"),
    base_url: text("apiBaseUrl") ?? (text("apiHost") ? `https://${text("apiHost")}/v1` : undefined),
    key_env: text("apiKeyEnvar"),
    max_tokens: number("max_tokens"),
    temperature: number("temperature"),
  });
  if (!spec.success) return `${id}: Devflow does not call this provider`;
  try {
    return createProvider(spec.data, { env, childEnv: {}, cwd, onHeaders });
  } catch (error) {
    if (error instanceof DevflowError) return error.message;
    throw error;
  }
}

function refuse(suite: PromptfooSuite, lacks: readonly string[], file: string): void {
  const all = [...suite.refusals, ...lacks];
  if (all.length === 0) return;
  const problem = `${file} cannot be run; nothing was started:\n${all.map((one) => `  ${one}`).join("\n")}`;
  throw new DevflowError("input_invalid", {
    details: { problem, next: "See docs/promptfoo-suites.md", refusals: all },
  });
}

/** Left alone, the heap grows to several times what is in use; collecting it takes a few milliseconds. */
const resultsBetweenRests = 250;

async function* counted(
  results: AsyncIterable<SuiteResult>,
  { tally, partial }: { readonly tally: Tally; readonly partial: SuitePartial },
  onResult: () => void,
): AsyncGenerator<SuiteResult> {
  let number = 0;
  for await (const result of results) {
    tally.add(result);
    partial.add(result);
    onResult();
    yield result;
    number += 1;
    if (number % resultsBetweenRests === 0) collectGarbage();
  }
}

async function store(file: string, tier: EvalTier, findTeam: FindTeam, context: CommandContext): Promise<PushedRun[]> {
  const team = await evalTeam(findTeam, context);
  return await withStore(context, async (opened) => {
    const commits = await openCommits(context);
    const runs: PushedRun[] = [];
    for await (const imported of importFile(file, { tier, signal: context.signal })) {
      const { gitSha } = imported.run;
      const noted = gitSha === null ? [] : ((await commits?.notes(gitSha)) ?? []);
      const outcome = await opened.push(imported, { commits: noted, signal: context.signal });
      if (team) await opened.feed(`${outcome.line.suite}/${outcome.line.runId}`, team.sink);
      runs.push(await pushedRun(opened, outcome));
    }
    return runs;
  });
}
