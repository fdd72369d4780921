/**
 * Reports a run that was just checked or judged.
 *
 * - `reportRun(checked, kept, context, options)` prints the command's result, as text or as JSON.
 * - `exitOf(run)` 0: every case passed; 1: a case failed; 3: none failed, but some could not be checked.
 */
import type { CommandContext } from "@devflow/core/command";
import type { CheckedSuite, RunRecord } from "@devflow/evals/check";
import { painter } from "../paint.ts";
import { type CheckView, reportLines } from "./check-view.ts";
import type { KeptRun } from "./keep-run.ts";
import { againstWords } from "./pushed-run.ts";
import { plural, shortRun } from "./words.ts";

export function exitOf({ failed, errors }: Pick<RunRecord, "failed" | "errors">): number {
  if (failed > 0) return 1;
  return errors > 0 ? 3 : 0;
}

/** Quoted for a shell if necessary, so that a printed command can be pasted. */
export const quoted = (word: string): string =>
  /^[\w./%-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

export const viewOf = ({ suite, tier }: { suite: string; tier: string }, context: CommandContext): CheckView => ({
  suite,
  tier,
  columns: context.output.columns,
  paint: painter(context),
});

export interface ReportOptions {
  readonly notes?: readonly string[];
  /** Terminal codes that erase the progress lines. */
  readonly wipe?: string;
}

export function reportRun(
  { run, warnings }: Pick<CheckedSuite, "run" | "warnings">,
  { file, line, team }: KeptRun,
  context: CommandContext,
  { notes = [], wipe = "" }: ReportOptions = {},
): void {
  const view = viewOf(run, context);
  const unjudged = run.all_results.filter(({ error }) => error?.includes("run with --judge")).length;
  const ends = line
    ? [
        `Change  ${againstWords(line, view.paint)}`,
        `File    ${file}`,
        `Stored  devflow eval show ${shortRun(run.run_id)}${team === null ? "" : `   sent to ${team}`}`,
      ]
    : [`File    ${file}`, `Not stored. To store it: devflow eval push ${quoted(file)}`];
  const text = [
    ...reportLines(run, line, view),
    "",
    ...warnings.map((warning) => `${view.paint("warning", "yellow")}  ${warning}`),
    ...notes,
    ...(unjudged > 0 ? [`${plural(unjudged, "result")} could not be judged: add --judge`] : []),
    ...ends,
  ];
  context.output.result(answerOf(run, { file, line, team }, [...warnings, ...notes]), `${wipe}${text.join("\n")}`);
}

/** The results are left out: they are in the file. */
function answerOf(
  { all_results: results, ...facts }: RunRecord,
  { file, line, team }: KeptRun,
  warnings: readonly string[],
) {
  const problems = results
    .filter(({ status }) => status === "fail" || status === "error")
    .slice(0, 100)
    .map(({ name, repeat, status, error, failures }) => ({
      name,
      repeat,
      status,
      problem: status === "fail" ? (failures[0]?.message ?? null) : error,
    }));
  return {
    ...facts,
    problems,
    file,
    stored: line ? `${line.suite}/${line.runId}` : null,
    against: line?.against ?? null,
    team,
    warnings,
  };
}
