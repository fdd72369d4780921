/**
 * What `eval check --run` prints. Pure.
 *
 * - `startLines(start, options)` who is asked, what it may cost, and what is continued.
 * - `progressLines(progress, view)` while it runs.
 * - `matrixLines(result, kept, view)` one line per variant, the verdicts, the failures, where the runs are stored.
 * - `stoppedLines(result, maxUsd, next)` the budget is spent.
 */
import { plainLine } from "@devflow/core/plain-text";
import type { RunRecord } from "@devflow/evals/check";
import type {
  MatrixProgress,
  MatrixResult,
  MatrixStart,
  RunMatrixOptions,
  SequentialFinding,
} from "@devflow/evals/runner";
import type { Colour } from "../paint.ts";
import { textTable } from "../text-table.ts";
import { type CheckView, progressLines as checkProgress, reportLines } from "./check-view.ts";
import type { KeptRun } from "./keep-run.ts";
import { againstWords } from "./pushed-run.ts";
import { money, passShare, percent, plural, points, shortRun, usd } from "./words.ts";

export function startLines(start: MatrixStart, { providers, maxUsd, until }: RunMatrixOptions): string[] {
  const { isResumed, answered, lost, otherUnfinished, spentUsd, calls } = start;
  const asked = providers.map(({ id, base_url }) => `${plainLine(id)}${base_url ? ` at ${plainLine(base_url)}` : ""}`);
  const limits = [
    `${until ? "at most " : ""}${plural(calls, "call")}`,
    ...(maxUsd === undefined ? [] : [`at most ${usd(maxUsd)}`]),
  ];
  return [
    `Asks ${asked.join(", ")}: ${limits.join(", ")}.`,
    ...(isResumed
      ? [`Continues the unfinished run: ${plural(answered, "answer")} and ${usd(spentUsd)} spent so far.`]
      : []),
    ...(lost > 0
      ? [
          `${plural(lost, "call")} had no answer yet when the run was killed: made again, and possibly charged twice; the budget counts both.`,
        ]
      : []),
    ...(otherUnfinished > 0
      ? [`${plural(otherUnfinished, "other unfinished run")} of this suite: of another commit, label, tier or matrix.`]
      : []),
  ];
}

export function progressLines(progress: MatrixProgress, view: CheckView): string[] {
  const { spentUsd, maxUsd } = progress;
  const spent = `${usd(spentUsd)} spent${maxUsd === undefined ? "" : ` of ${usd(maxUsd)}`}`;
  return [...checkProgress(progress, view), ...(spentUsd > 0 || maxUsd !== undefined ? [spent] : [])];
}

export function matrixLines(result: MatrixResult, kept: readonly KeptRun[], view: CheckView): string[] {
  const { runs, titles, findings } = result;
  const [only] = runs;
  const about = [`${view.tier} tier`, plural(result.done, "result"), `${usd(result.spentUsd)} spent`];
  const ends = kept.flatMap(({ line, file, team }) => {
    if (!line) return [`File    ${file}`];
    const to = team === null ? "" : `   sent to ${team}`;
    return [`Stored  devflow eval show ${shortRun(line.runId)}${to}`];
  });
  const change = kept.length === 1 && kept[0]?.line ? [`Change  ${againstWords(kept[0].line, view.paint)}`] : [];
  const notStored = kept.length > 0 && kept.every(({ line }) => !line) ? ["Not stored."] : [];
  const unpriced = result.unpriced.map((id) => `${plainLine(id)} does not report its cost: it is not counted.`);
  if (runs.length === 1 && only) {
    return [
      ...reportLines(only, kept[0]?.line ?? null, view),
      "",
      ...verdictLines(findings, view),
      ...unpriced,
      ...change,
      ...ends,
      ...notStored,
    ];
  }
  return [
    `${view.paint(plainLine(view.suite), "bold")}  ${about.join(", ")}`,
    "",
    ...variantTable(runs, titles, kept).split("\n"),
    ...problemLines(runs, titles, view),
    "",
    ...verdictLines(findings, view),
    ...unpriced,
    ...(kept[0]?.line ? ["To see one of them: devflow eval show <run>; side by side: devflow open"] : ends),
    ...notStored,
  ];
}

function variantTable(runs: readonly RunRecord[], titles: readonly string[], kept: readonly KeptRun[]): string {
  const isStored = kept.some(({ line }) => line);
  const columns = [
    { title: "variant" },
    { title: "passed", align: "right" },
    { title: "failed", align: "right" },
    { title: "errors", align: "right" },
    { title: "rate", align: "right" },
    ...(isStored ? ([{ title: "cost", align: "right" }, { title: "run" }] as const) : []),
  ] as const;
  return textTable(
    columns,
    runs.map((run, index) => [
      plainLine(titles[index] ?? ""),
      String(run.passed),
      String(run.failed),
      String(run.errors),
      passShare(run),
      ...storedCells(kept[index]),
    ]),
  );
}

function storedCells(kept: KeptRun | undefined): string[] {
  return kept?.line ? [money(kept.line), shortRun(kept.line.runId)] : [];
}

const mostProblems = 10;

function problemLines(runs: readonly RunRecord[], titles: readonly string[], { paint }: CheckView): string[] {
  const all = runs.flatMap(({ all_results: results }, index) =>
    results
      .filter(({ status }) => status === "fail" || status === "error")
      .map(({ name, status, repeat, error, failures }) => {
        const word = status === "fail" ? paint("FAIL ", "red") : paint("ERROR", "yellow");
        const why = status === "fail" ? failures[0]?.message : error;
        const which = `${plainLine(name)}${repeat > 0 ? ` #${repeat + 1}` : ""}`;
        return `  ${word}  ${which} (${plainLine(titles[index] ?? "")})  ${paint(plainLine(why ?? "").slice(0, 100), "dim")}`;
      }),
  );
  if (all.length === 0) return [];
  const rest = all.length - mostProblems;
  return ["", ...all.slice(0, mostProblems), ...(rest > 0 ? [`         and ${rest} more`] : [])];
}

const colours: Readonly<Record<SequentialFinding["verdict"], Colour>> = {
  regression: "red",
  improvement: "green",
  "no evidence": "dim",
  "not enough data": "yellow",
};

function verdictLines(findings: readonly SequentialFinding[], { paint }: CheckView): string[] {
  return findings.map(({ side, verdict, pairs, better, worse, difference, interval, pAdjusted }) => {
    const limits = interval ? ` (${points(interval.low)} to ${points(interval.high)})` : "";
    const counts = `${better} better, ${worse} worse of ${plural(pairs, "pair")}`;
    const p = pAdjusted < 0.0001 ? "p < 0.0001" : `p = ${pAdjusted.toFixed(4)}`;
    return `${paint(verdict, colours[verdict])}  ${plainLine(side)}: ${points(difference)} points${limits}, ${p}, ${counts}`;
  });
}

export function stoppedLines({ done, calls, spentUsd }: MatrixResult, maxUsd: number, next: string): string[] {
  return [
    `Stopped: the rest of the budget of ${usd(maxUsd)} is too small for another call. ${usd(spentUsd)} spent, ${done} of ${plural(calls, "result")} (${percent(done / Math.max(1, calls))}).`,
    "What was answered is kept. To continue: the same command with a larger --max-usd.",
    `To store what is there: ${next}`,
  ];
}
