/**
 * `devflow eval check promptfooconfig.yaml`: runs a promptfoo suite as it is, writes its results in promptfoo's format and stores
 * them, one run per prompt and provider. What cannot be run is listed before anything starts.
 *
 * Exit codes are those of `eval check`.
 */
import { createWriteStream } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { finished } from "node:stream/promises";
import { ensurePrivateFolder } from "@devflow/core/atomic-file";
import type { CommandContext, InputOf } from "@devflow/core/command";
import { inheritedEnvironment } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import { uuidv7 } from "@devflow/core/ids";
import type { EvalTier } from "@devflow/evals";
import { openCodePool } from "@devflow/evals/code";
import { importFile } from "@devflow/evals/interop";
import { judgeProvider } from "@devflow/evals/judges";
import {
  createProviders,
  loadPromptfooSuite,
  type PromptfooSuite,
  planSuite,
  problemsOf,
  runSuite,
  SuiteFault,
  type SuiteResult,
  statusOf,
  suiteFile,
  suiteLacks,
} from "@devflow/evals/promptfoo";
import { createProvider, type Provider, providerSpec } from "@devflow/evals/runner";
import { selfArgv } from "../server/self.ts";
import type { FindTeam } from "../team/team.ts";
import type { evalCheckRecord } from "./check-commands.ts";
import { exitOf, viewOf } from "./check-report.ts";
import { progressLines } from "./check-view.ts";
import { openCommits } from "./commits.ts";
import { judgeSettings } from "./judge-settings.ts";
import { runFacts } from "./keep-run.ts";
import { liveLines } from "./live-lines.ts";
import { type PushedRun, pushedRun } from "./pushed-run.ts";
import { type SuiteProblem, type SuiteTally, suiteReport } from "./suite-view.ts";
import { evalTeam } from "./team.ts";
import { withStore } from "./with-store.ts";

type Input = Omit<InputOf<typeof evalCheckRecord>, "tier"> & { readonly tier: EvalTier };

/** Kept for the report; the file has them all. */
const mostProblems = 100;

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
      context.output.note("Stopped before the end; nothing was stored.");
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
  const suite = await loadPromptfooSuite(path, { env, code, signal });
  const judge = input.judge
    ? judgeProvider(
        await judgeSettings({ ...input, isFullRun: input.tier === "full", caseFiles: [path] }, context),
        signal,
      )
    : undefined;
  const factory = createProviders({
    ...{ folder: suite.folder, env: suite.env, code, signal, judge },
    providers: suite.providers,
    modelProvider: (id, config) => modelOf(id, config, context),
  });
  refuse(suite, suiteLacks(suite, factory), relative(context.cwd, path));
  for (const warning of suite.warnings) context.output.note(`warning  ${warning}`);
  const name = input.suite ?? suite.name;
  const plan = planSuite(suite, (input.repeats ?? 1) > 1 ? (input.repeats ?? 1) : suite.repeats);
  const facts = await runFacts({ label: input.label, tier: input.tier }, context);
  const runId = uuidv7();
  const at = new Date().toISOString();
  const tools = { folder: suite.folder, env: suite.env, code, models: factory.models, signal };
  const tally = new Tally(plan.total);
  const { output } = context;
  const live = output.isTerminal && !output.json ? liveLines(output) : undefined;
  const view = viewOf({ suite: name, tier: input.tier }, context);
  const results = counted(runSuite(suite, { plan, factory, tools }), tally, () =>
    live?.draw(progressLines(tally.progress(), view)),
  );
  const file = await fileFor(name, input, context);
  const { label, gitSha, gitBranch } = facts;
  await writeStream(
    suiteFile(results, { runId, at, suite: name, columns: plan.columns, label, gitSha, gitBranch, now: Date.now }),
    file,
  );
  const wipe = live?.wipe() ?? "";
  const runs = input.push ? await store(file, input.tier, findTeam, context) : [];
  const answer = {
    suite: name,
    total: plan.total,
    ...tally.counts,
    problems: tally.problems,
    file,
    runs: runs.map(({ suite: one, runId: id }) => `${one}/${id}`),
    warnings: suite.warnings,
  };
  context.output.result(answer, wipe + suiteReport({ tally, runs, file }, view).join("\n"));
  return exitOf(tally.counts);
}

/** promptfoo's names of models, asked as `eval check --run` asks them. */
function modelOf(
  id: string,
  config: Readonly<Record<string, unknown>>,
  { env, cwd }: Pick<CommandContext, "env" | "cwd">,
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
    return createProvider(spec.data, { env, childEnv: {}, cwd });
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

class Tally implements SuiteTally {
  readonly counts = { passed: 0, failed: 0, errors: 0, skipped: 0 };
  readonly problems: SuiteProblem[] = [];
  private readonly began = Date.now();
  readonly total: number;

  constructor(total: number) {
    this.total = total;
  }

  get elapsedMs(): number {
    return Date.now() - this.began;
  }

  add(result: SuiteResult): void {
    const status = statusOf(result);
    this.counts[status === "pass" ? "passed" : status === "fail" ? "failed" : "errors"] += 1;
    if (status === "pass" || this.problems.length >= mostProblems) return;
    const { description } = result.testCase;
    const values = Object.entries(result.vars).map(
      ([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
    );
    const name = description ?? (values.join(", ") || result.prompt.raw);
    this.problems.push({ name: name.slice(0, 200), status, problem: problemsOf(result).join("\n") });
  }

  progress() {
    const { passed, failed, errors } = this.counts;
    return {
      done: passed + failed + errors,
      total: this.total,
      passed,
      failed,
      errors,
      running: [],
      elapsedMs: this.elapsedMs,
      last: undefined,
    };
  }
}

async function* counted(
  results: AsyncIterable<SuiteResult>,
  tally: Tally,
  onResult: () => void,
): AsyncGenerator<SuiteResult> {
  for await (const result of results) {
    tally.add(result);
    onResult();
    yield result;
  }
}

async function fileFor(
  suite: string,
  { out, push }: Pick<Input, "out" | "push">,
  context: CommandContext,
): Promise<string> {
  const name = `${encodeURIComponent(suite).replace(/^\./, "%2E").slice(0, 150)}.promptfoo.json`;
  if (out !== undefined) {
    const path = resolve(context.cwd, out);
    await mkdir(dirname(path), { recursive: true });
    return path;
  }
  if (!push) return join(context.cwd, name);
  const folder = join(context.config().home, "eval-results");
  await ensurePrivateFolder(folder);
  return join(folder, name);
}

/** Complete or not at all. */
async function writeStream(pieces: AsyncIterable<string>, path: string): Promise<void> {
  const temporary = `${path}.part`;
  const file = createWriteStream(temporary, { mode: 0o600 });
  try {
    for await (const piece of pieces) if (!file.write(piece)) await new Promise((done) => file.once("drain", done));
    file.end();
    await finished(file);
    await rename(temporary, path);
  } catch (error) {
    file.destroy();
    await rm(temporary, { force: true });
    throw error;
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
