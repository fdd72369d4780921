/**
 * Saves a run that was just made, as a file and in the store.
 *
 * - `keepRun(run, options, context)` writes the file first, then stores the run from it, and sends it to the team if there
 *   is one.
 * - `runFacts(given, context)` where the run was made: label, commit, branch, host.
 */
import { mkdir } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join, parse, resolve } from "node:path";
import { ensurePrivateFolder, writeFileAtomic } from "@devflow/core/atomic-file";
import type { CommandContext } from "@devflow/core/command";
import { environmentOf } from "@devflow/core/config";
import { autoLabel, type EvalTier, readResults } from "@devflow/evals";
import type { RunFacts, RunRecord } from "@devflow/evals/check";
import type { FindTeam } from "../team/team.ts";
import { openCommits } from "./commits.ts";
import { type PushedRun, pushedRun } from "./pushed-run.ts";
import { evalTeam } from "./team.ts";
import { withStore } from "./with-store.ts";

export interface KeptRun {
  readonly file: string;
  /** Null with `--no-push`. */
  readonly line: PushedRun | null;
  readonly team: string | null;
}

export interface KeepOptions {
  readonly out?: string | undefined;
  readonly push: boolean;
  /** Which of several runs of one command; part of the file's name. */
  readonly part?: string | undefined;
  readonly findTeam: FindTeam;
}

export async function keepRun(
  run: RunRecord,
  { out, push, part, findTeam }: KeepOptions,
  context: CommandContext,
): Promise<KeptRun> {
  const file = await fileFor(run.suite, { out, push, part }, context);
  await writeFileAtomic(file, bytesOf(run), out === undefined && push ? 0o600 : 0o644);
  if (!push) return { file, line: null, team: null };
  const team = await evalTeam(findTeam, context);
  const imported = await readResults(file, { defaults: { nowMs: Date.now() } });
  try {
    return await withStore(context, async (store) => {
      const commits = imported.run.gitSha ? await (await openCommits(context))?.notes(imported.run.gitSha) : undefined;
      const outcome = await store.push(imported, commits ? { commits } : {});
      if (team) await store.feed(`${outcome.line.suite}/${outcome.line.runId}`, team.sink);
      return { file, line: await pushedRun(store, outcome), team: team?.name ?? null };
    });
  } finally {
    await imported.close();
  }
}

/** One result per line, encoded one by one: a single string of all results could exceed the maximum string length. */
function bytesOf({ all_results: results, ...facts }: RunRecord): Uint8Array {
  const head = JSON.stringify(facts).slice(0, -1);
  const lines = results.map((result, index) => Buffer.from(`${index > 0 ? ",\n" : ""}${JSON.stringify(result)}`));
  return Buffer.concat([Buffer.from(`${head},"all_results":[\n`), ...lines, Buffer.from("\n]}\n")]);
}

/** Without `--out`: the last result of each suite in the home, or with `--no-push` a file in the current folder. */
async function fileFor(
  suite: string,
  { out, push, part }: Pick<KeepOptions, "out" | "push" | "part">,
  context: CommandContext,
): Promise<string> {
  const name = `${encodeURIComponent(suite).replace(/^\./, "%2E")}${part === undefined ? "" : `-${part}`}`;
  if (out !== undefined) {
    const { dir, name: stem, ext } = parse(resolve(context.cwd, out));
    const path = join(dir, `${stem}${part === undefined ? "" : `-${part}`}${ext}`);
    await mkdir(dirname(path), { recursive: true });
    return path;
  }
  if (!push) return join(context.cwd, `${name}.eval.json`);
  const folder = join(context.config().home, "eval-results");
  await ensurePrivateFolder(folder);
  return join(folder, `${name}.json`);
}

export async function runFacts(
  given: { readonly label: string | undefined; readonly tier: EvalTier; readonly model?: string | undefined },
  context: CommandContext,
): Promise<RunFacts> {
  const commits = await openCommits(context);
  const [gitSha, gitBranch] = commits ? [await commits.head(), await commits.branch()] : [null, null];
  const label = given.label ?? environmentOf(context.env).EVAL_LABEL;
  return {
    label: autoLabel({ label, branch: gitBranch, tier: given.tier }),
    gitSha,
    gitBranch,
    host: hostname() || null,
    model: given.model ?? null,
  };
}
