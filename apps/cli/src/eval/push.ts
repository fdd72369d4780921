/**
 * `devflow eval push`: results of any known tool, stored once each. One line per run says what came of it; strict means
 * that a file with a fault stores nothing, lenient that what can be read is stored and the rest is named.
 */

import { hostname } from "node:os";
import { resolve } from "node:path";
import type { CommandContext, HandlerOf, InputOf } from "@devflow/core/command";
import { environmentOf } from "@devflow/core/config";
import { DevflowError, errorReport } from "@devflow/core/errors";
import { shortLine } from "@devflow/core/plain-text";
import { ciVariables, type ImportedRun, mergePartials, readPartials, removePartials } from "@devflow/evals";
import { type ImportOptions, importFile } from "@devflow/evals/interop";
import type { EvalStore, PushOutcome } from "@devflow/evals/store";
import type { EvalTeam } from "@devflow/evals/team";
import { painter } from "../paint.ts";
import { openCommits } from "./commits.ts";
import { type PushedRun, pushedLine, pushedRun } from "./pushed-run.ts";
import type { evalPushRecord } from "./store-commands.ts";
import type { TeamFinder } from "./team.ts";
import { given, withStore } from "./with-store.ts";
import { shortSha } from "./words.ts";

type PushInput = InputOf<typeof evalPushRecord>;

interface Pushing {
  readonly store: EvalStore;
  readonly context: CommandContext;
  readonly team: EvalTeam | undefined;
  readonly input: PushInput;
  readonly runs: PushedRun[];
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
  (findTeam: TeamFinder): HandlerOf<typeof evalPushRecord> =>
  async (input, context) => {
    if (input.files.length === 0 && input.partials === undefined) {
      const next = "Name the result files, or - for standard input: devflow eval push <file>";
      throw new DevflowError("usage", { details: { problem: "There is nothing to push.", next } });
    }
    const team = await findTeam(context);
    return withStore(context, async (store) => {
      const pushing: Pushing = { store, context, team, input, runs: [], refused: [] };
      const options = await importOptions(input, context);
      for (const file of input.files) await pushFile(pushing, file, options).catch(refusalIn(pushing, file));
      if (input.partials !== undefined) await pushPartials(pushing, input.partials, options);
      say(pushing);
      await warnOfChanges(pushing);
      return pushing.refused[0]?.exit ?? 0;
    });
  };

/** What is not committed was evaluated too, and will be taken for the commit's own doing. */
async function warnOfChanges({ context, runs }: Pushing): Promise<void> {
  const commits = await openCommits(context);
  const head = await commits?.head();
  const isOfHead = runs.some(({ isNew, gitSha }) => isNew && head && gitSha === head);
  if (!isOfHead || !(await commits?.isChanged())) return;
  context.output.note(`Stored for ${shortSha(head ?? null)}, but files differ from it: commit first, or say --commit.`);
}

/** One bad file of several keeps the others from nothing; one alone is the command's own failure. */
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
    await keep(pushing, imported);
  }
  if (count > 0) return;
  const problem = `There is no run in ${file === "-" ? "standard input" : file}.`;
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
  await keep(pushing, merged);
  await removePartials(read);
}

async function keep({ store, team, input, runs }: Pushing, imported: ImportedRun): Promise<void> {
  const outcome: PushOutcome = await store.push(imported, { replace: input.replace });
  // Fed again when it was there already: the receiver drops what it has, and a push that was cut short is made good.
  if (team) await store.feed(`${outcome.line.suite}/${outcome.line.runId}`, team.sink);
  runs.push(await pushedRun(store, outcome));
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
  const sentTo = team ? `\nSent to ${team.name}.` : "";
  output.result(
    { runs, refused, team: team?.name ?? null },
    runs.map((run) => pushedLine(run, paint)).join("\n") + sentTo,
  );
}

/** What the file may not say, this machine knows: the commit, the branch, the label, the CI's run. */
async function importOptions(input: PushInput, context: CommandContext): Promise<ImportOptions> {
  const commits = await openCommits(context);
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
