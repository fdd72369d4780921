/**
 * What `eval check` shows after a promptfoo suite. Pure.
 *
 * - `suiteReport(done, view)` counts, failures with reasons, and one line per stored run.
 */
import { plainLine, shortLine } from "@devflow/core/plain-text";
import { quoted } from "./check-report.ts";
import { type CheckView, wrapped } from "./check-view.ts";
import { againstWords, type PushedRun } from "./pushed-run.ts";
import { duration, plural, shortRun, tallyBar, tallyWords } from "./words.ts";

export interface SuiteProblem {
  readonly name: string;
  readonly status: "fail" | "error";
  /** One line per failed assertion. */
  readonly problem: string;
}

export interface SuiteTally {
  readonly counts: {
    readonly passed: number;
    readonly failed: number;
    readonly errors: number;
    readonly skipped: number;
  };
  readonly problems: readonly SuiteProblem[];
  readonly total: number;
  readonly elapsedMs: number;
}

export interface SuiteDone {
  readonly tally: SuiteTally;
  readonly runs: readonly PushedRun[];
  readonly file: string;
}

const barWidth = 30;
const most = 20;
const longestTitle = 40;

export function suiteReport({ tally, runs, file }: SuiteDone, view: CheckView): string[] {
  const { paint, suite, tier } = view;
  const { counts, problems, total, elapsedMs } = tally;
  const rest = counts.failed + counts.errors - Math.min(most, problems.length);
  return [
    `${paint(plainLine(suite), "bold")}  ${tier} tier, ${plural(total, "result")}, ${duration(elapsedMs)}`,
    `${tallyBar(counts, barWidth, paint)}  ${tallyWords(counts, paint)}`,
    ...(problems.length > 0 ? ["", ...problems.slice(0, most).flatMap((one) => problemLines(one, view))] : []),
    ...(rest > 0 ? [`         and ${plural(rest, "more result")} like these`] : []),
    "",
    ...runs.map((run) => runLine(run, runs, view)),
    `File    ${file}`,
    ...(runs.length > 0 ? [] : [`Not stored. To store it: devflow eval push ${quoted(file)}`]),
  ];
}

function problemLines({ name, status, problem }: SuiteProblem, { paint, columns }: CheckView): string[] {
  const word = status === "fail" ? paint("FAIL ", "red") : paint("ERROR", "yellow");
  const told = problem.split("\n");
  return [
    `  ${word}  ${shortLine(name, columns - 9)}`,
    ...told
      .slice(0, 3)
      .flatMap((text) => wrapped(plainLine(text), columns - 9, 2).map((line) => `         ${paint(line, "dim")}`)),
    ...(told.length > 3 ? [`         ${paint(`and ${told.length - 3} more`, "dim")}`] : []),
  ];
}

function runLine(run: PushedRun, runs: readonly PushedRun[], { paint }: CheckView): string {
  // The runs of one suite differ only at the end of their ids.
  const show = `devflow eval show ${runs.length === 1 ? shortRun(run.runId, 40) : quoted(run.runId)}`;
  if (runs.length === 1) return `Stored  ${show}   ${againstWords(run, paint)}`;
  return `Stored  ${shortLine(run.label, longestTitle)}  ${tallyWords(run, paint)}  ${againstWords(run, paint)}   ${show}`;
}
