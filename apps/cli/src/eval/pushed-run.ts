/**
 * What `push` reports about a run: counts, cost, and the change since the last comparable run.
 *
 * - `pushedRun(store, outcome)` the facts; `pushedLine(run, paint)` the line.
 */
import { shortLine } from "@devflow/core/plain-text";
import { commitGraph, compareRuns, predecessorOf, storedRows } from "@devflow/evals/compare";
import type { EvalStore, PushOutcome, RunLine } from "@devflow/evals/store";
import type { Paint } from "../paint.ts";
import { allLines, collectGarbage } from "./with-store.ts";
import { ago, duration, money, shortRun, shortSha, tallyWords } from "./words.ts";

export interface PushedRun extends RunLine {
  readonly isNew: boolean;
  readonly warnings: readonly string[];
  readonly losses: readonly string[];
  readonly against: Against | null;
}

export interface Against {
  readonly runId: string;
  readonly at: string;
  readonly gitSha: string | null;
  readonly verdict: string;
  readonly broke: number;
  readonly fixed: number;
}

export async function pushedRun(store: EvalStore, { isNew, line, record }: PushOutcome): Promise<PushedRun> {
  const { warnings, losses } = record;
  return { ...line, isNew, warnings, losses, against: isNew ? await changeSinceLast(store, line) : null };
}

async function changeSinceLast(store: EvalStore, line: RunLine): Promise<Against | null> {
  const lines = allLines(store, { suite: line.suite, tier: line.tier });
  const before = predecessorOf(line, lines, commitGraph(store.commits()));
  if (!before) return null;
  const [a, b] = await storedRows(store, [before, line]);
  if (!a || !b) return null;
  // The line shows only passes and failures; testing scores, cost and latency of ten thousand cases would take a second.
  const { verdict, suites, isCompared } = compareRuns([a], [b], {
    verdictOnly: true,
    passOnly: true,
    rest: collectGarbage,
  });
  const sum = (pick: (suite: (typeof suites)[number]) => number) => suites.reduce((all, one) => all + pick(one), 0);
  return {
    runId: before.runId,
    at: before.at,
    gitSha: before.gitSha,
    verdict: isCompared ? verdict : "nothing compared",
    broke: sum(({ broken }) => broken.length),
    fixed: sum(({ fixed }) => fixed.length),
  };
}

export function pushedLine(run: PushedRun, paint: Paint): string {
  const facts = [
    tallyWords(run, paint),
    ...[money(run), duration(run.durationMs)].filter(Boolean),
    ...(run.attempt > 1 && run.gitSha !== null ? [`attempt ${run.attempt}`] : []),
  ];
  const name = `${paint(shortLine(run.suite, 60), "bold")}${run.tier === "standard" ? "" : ` (${run.tier})`}`;
  const tail = run.isNew ? againstWords(run, paint) : paint("already stored", "dim");
  return `${name}  ${facts.join(" · ")} · ${tail}  ${paint(shortLine(shortRun(run.runId), 120), "dim")}`;
}

export function againstWords({ against, at }: PushedRun, paint: Paint): string {
  if (!against) return paint("no earlier run to compare", "dim");
  const { verdict, broke, fixed, gitSha, runId } = against;
  // Comparing one run with one other proves little, so "broke" is used only for a proven change.
  const isProven = verdict === "regression" || verdict === "improvement";
  const changes = [
    ...(broke > 0 ? [paint(`${broke} ${isProven ? "broke" : "worse"}`, isProven ? "red" : "yellow")] : []),
    ...(fixed > 0 ? [paint(`${fixed} ${isProven ? "fixed" : "better"}`, "green")] : []),
  ];
  const whom = gitSha ? shortLine(shortSha(gitSha), 120) : shortLine(shortRun(runId), 120);
  const earlier = `${whom} (${ago(against.at, Date.parse(at)).replace(" ago", " earlier")})`;
  if (changes.length === 0)
    return `${verdict === "nothing compared" ? "not comparable with" : "no change since"} ${earlier}`;
  return `${changes.join(", ")}${isProven ? ` (${verdict})` : ""} since ${earlier}`;
}
