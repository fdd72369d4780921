/**
 * `devflow eval push`: stores results from any supported tool, each run once, and prints one line per run. A file with errors
 * stores nothing; with `--lenient`, what can be read is stored and the rest is reported.
 */

import { hostname } from "node:os";
import { basename, resolve } from "node:path";
import type { CommandContext, HandlerOf, InputOf } from "@devflow/core/command";
import { environmentOf } from "@devflow/core/config";
import { DevflowError, errorReport } from "@devflow/core/errors";
import { shortLine } from "@devflow/core/plain-text";
import {
  ciVariables,
  type ImportedRun,
  isInFuture,
  mergePartials,
  readPartials,
  removePartials,
  runsOf,
} from "@devflow/evals";
import { type ImportOptions, importFile } from "@devflow/evals/interop";
import type { EvalStore, PushOutcome } from "@devflow/evals/store";
import type { EvalTeam } from "@devflow/evals/team";
import { painter } from "../paint.ts";
import type { FindTeam } from "../team/team.ts";
import { type Commits, openCommits } from "./commits.ts";
import { type PushedRun, pushedLine, pushedRun } from "./pushed-run.ts";
import type { evalPushRecord } from "./store-commands.ts";
import { evalTeam } from "./team.ts";
import { given, withStore } from "./with-store.ts";
import { shortSha } from "./words.ts";

type PushInput = InputOf<typeof evalPushRecord>;

interface Pushing {
  readonly store: EvalStore;
  readonly context: CommandContext;
  readonly team: EvalTeam | undefined;
  readonly input: PushInput;
  readonly runs: PushedRun[];
  /** Undefined outside a repository. */
  readonly commits: Commits | undefined;
  /** Of several files, those that were refused. */
  readonly refused: RefusedFile[];
}

interface RefusedFile {
  readonly file: string;
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly exit: number;
}

export const pushWith =
  (findTeam: FindTeam): HandlerOf<typeof evalPushRecord> =>
  async (input, context) => {
    if (input.files.length === 0 && input.partials === undefined) {
      const next = "Give result files, or - for standard input: devflow eval push <file>";
      throw new DevflowError("usage", { details: { problem: "There is nothing to push.", next } });
    }
    const team = await evalTeam(findTeam, context);
    return interruptible(context, () =>
      withStore(context, async (store) => {
        const commits = await openCommits(context);
        const pushing: Pushing = { store, context, team, input, runs: [], commits, refused: [] };
        const options = await importOptions(input, context, commits);
        for (const file of input.files) await pushFile(pushing, file, options).catch(refusalIn(pushing, file));
        if (input.partials !== undefined) await pushPartials(pushing, input.partials, options);
        say(pushing);
        await warnOfChanges(pushing);
        return pushing.refused[0]?.exit ?? 0;
      }),
    );
  };

async function interruptible(context: CommandContext, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (!context.signal.aborted) throw error;
    context.output.note("Interrupted: nothing was stored.");
    return 130;
  }
}

/** Uncommitted changes were evaluated too, and the results will be attributed to the commit. */
async function warnOfChanges({ context, runs, commits }: Pushing): Promise<void> {
  const head = await commits?.head();
  const isOfHead = runs.some(({ isNew, gitSha }) => isNew && head && gitSha === head);
  if (!isOfHead || !(await commits?.isChanged())) return;
  context.output.note(
    `Stored for ${shortSha(head ?? null)}, but the working tree has uncommitted changes: commit first, or use --commit.`,
  );
}

/** With several files, one bad file does not stop the others; a single bad file fails the command. */
function refusalIn({ input, refused }: Pushing, file: string) {
  return (error: unknown) => {
    if (input.files.length === 1 || !(error instanceof DevflowError)) throw error;
    const { code, message, hint, exit } = errorReport(error);
    refused.push({ file, code, message, hint, exit });
  };
}

async function pushFile(pushing: Pushing, file: string, options: ImportOptions): Promise<void> {
  const { context, input } = pushing;
  const from = file === "-" ? context.stdinBytes() : resolve(context.cwd, file);
  const { name } = input;
  let count = 0;
  for await (const imported of importFile(from, name === undefined ? options : { ...options, name })) {
    count += 1;
    await keep(pushing, imported, file === "-" ? undefined : basename(file));
  }
  if (count > 0) return;
  const problem = `${file === "-" ? "Standard input" : file} contains no run.`;
  throw new DevflowError("input_invalid", { details: { problem, next: "See the formats: docs/eval-formats.md" } });
}

async function pushPartials(pushing: Pushing, suite: string, options: ImportOptions): Promise<void> {
  const { home } = pushing.context.config();
  const read = await readPartials(home, suite, { nowMs: Date.now(), ...options.defaults });
  const merged = mergePartials(read);
  if (!merged) {
    const what = `A worker's results for ${suite} (${home}/eval-partials)`;
    throw new DevflowError("not_found", { details: { what, next: "devflow eval list" } });
  }
  for (const one of runsOf(merged)) await keep(pushing, one);
  await removePartials(read);
}

async function keep(
  { store, team, input, runs, commits, context }: Pushing,
  imported: ImportedRun,
  name?: string,
): Promise<void> {
  const { gitSha } = imported.run;
  const noted = gitSha === null ? [] : ((await commits?.notes(gitSha)) ?? []);
  const dated = inPresent(imported, input.lenient);
  const outcome: PushOutcome = await store.push(dated, {
    replace: input.replace,
    commits: noted,
    signal: context.signal,
    ...(name === undefined ? {} : { name }),
  });
  // A run that was already stored is sent again: the receiver drops duplicates, and an interrupted push is completed.
  if (team) await store.feed(`${outcome.line.suite}/${outcome.line.runId}`, team.sink);
  runs.push(await pushedRun(store, outcome));
}

function inPresent(imported: ImportedRun, isLenient: boolean): ImportedRun {
  const { at } = imported.run;
  if (!isInFuture(at, Date.now())) return imported;
  const problem = `The run is dated ${at}, which is in the future`;
  if (!isLenient) {
    const next = "Fix the timestamp, or store it with the present time: devflow eval push --lenient <file>";
    throw new DevflowError("input_invalid", { details: { problem: `${problem}.`, next } });
  }
  const warnings = [...imported.warnings, `The date ${at} is in the future; stored with the present time.`];
  return { ...imported, run: { ...imported.run, at: new Date().toISOString() }, warnings };
}

function say({ context, runs, refused, team }: Pushing): void {
  const { output } = context;
  const paint = painter(context);
  for (const { warnings, losses, suite } of runs) {
    const say = (text: string) => output.note(`${shortLine(suite, 60)}: ${shortLine(text, 500)}`);
    for (const warning of warnings.slice(0, 20)) say(warning);
    if (warnings.length > 20) say(`… and ${warnings.length - 20} more`);
    if (losses.length > 0) say(`not carried over: ${losses.slice(0, 8).join(", ")}`);
  }
  for (const { file, message, hint } of refused) output.note(`${file}: ${message}\n${hint}`);
  const sentTo = team ? `\nQueued for ${team.name}.` : "";
  output.result(
    { runs, refused, team: team?.name ?? null },
    runs.map((run) => pushedLine(run, paint)).join("\n") + sentTo,
  );
}

/** Defaults for what the file leaves out: the commit, the branch, the label, the CI run. */
async function importOptions(
  input: PushInput,
  context: CommandContext,
  commits: Commits | undefined,
): Promise<ImportOptions> {
  const head = (await commits?.head()) ?? null;
  const commit = input.commit === undefined ? undefined : ((await commits?.commitOf(input.commit)) ?? input.commit);
  const { EVAL_LABEL } = environmentOf(context.env);
  return {
    ...given({
      format: input.as,
      suite: input.suite,
      label: input.label,
      tier: input.tier,
      gitSha: commit,
      gitBranch: input.branch,
      passAt: input.passAt,
    }),
    lenient: input.lenient,
    signal: context.signal,
    defaults: {
      nowMs: Date.now(),
      gitSha: head,
      committedAt: head ? ((await commits?.about(head))?.at ?? null) : null,
      gitBranch: (await commits?.branch()) ?? context.env.GITHUB_HEAD_REF ?? null,
      host: hostname(),
      environment: Object.fromEntries(ciVariables.map((name) => [name, context.env[name]])),
      ...(EVAL_LABEL ? { label: EVAL_LABEL } : {}),
    },
  };
}
