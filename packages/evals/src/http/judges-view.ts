/**
 * The page that shows how far judges can be trusted.
 *
 * - `judgesView(parts, filter)` the judges, how well votes on the same outputs agree, how each judge differs from the others,
 *   how scores changed, and how people labelled the outputs.
 */
import type { EvalJudges } from "@devflow/protocol";
import { type HumanLabel, type JudgedOutput, judgedOutputs, reportOnOutputs } from "../judges/index.ts";
import type { EvalResult } from "../results/result.ts";
import { leastGatingAlpha } from "../statistics/index.ts";
import type { EvalStore, RunFilter, RunLine, RunRecord } from "../store/index.ts";
import { votesOf } from "./result-view.ts";
import { refOf } from "./run-line.ts";
import { newest } from "./stored-runs.ts";

export interface JudgesParts {
  readonly store: EvalStore;
  /** People's labels of a suite's outputs. */
  readonly labels: (suite: string) => Promise<readonly HumanLabel[]>;
  /** Caches what was read of a run. */
  readonly judged: Map<string, readonly JudgedOutput[]>;
}

interface JudgedRun {
  readonly line: RunLine;
  readonly record: RunRecord;
}

/** Votes are inside the results, which must be read in full, so only the newest runs are read. */
const mostJudged = 20_000;
const mostKept = 60;

export async function judgesView(parts: JudgesParts, filter: RunFilter): Promise<EvalJudges> {
  const { lines, scope } = newest(parts.store, filter);
  const judged: JudgedRun[] = [];
  for (const line of lines.filter(({ judgeKey }) => judgeKey !== "")) {
    judged.push({ line, record: (await parts.store.run(refOf(line))).record });
  }
  const bySuite = await outputsBySuite(parts, judged);
  const outputs = [...bySuite.values()].flat();
  const { between, within } = reportOnOutputs(outputs, []);
  return {
    judges: judgesOf(judged),
    agreement: [...between],
    consistency: [...within],
    gatingAlpha: leastGatingAlpha,
    leaning: leaningOf(outputs),
    drift: driftOf(judged),
    people: await peopleOf(parts, bySuite),
    scope,
  };
}

async function peopleOf(
  { labels }: JudgesParts,
  bySuite: ReadonlyMap<string, readonly JudgedOutput[]>,
): Promise<EvalJudges["people"]> {
  const people: EvalJudges["people"] = [];
  for (const [suite, outputs] of bySuite) {
    const given = await labels(suite);
    if (given.length === 0) continue;
    for (const { table, criterion, labels: count, isEnough, cohensKappa, gwetsAc1 } of reportOnOutputs(outputs, given)
      .people) {
      const [[bothPass = 0, onlyJudge = 0] = [], [onlyHuman = 0, bothFail = 0] = []] = table;
      people.push({
        suite,
        criterion,
        labels: count,
        isEnough,
        cohensKappa,
        gwetsAc1,
        bothPass,
        onlyJudge,
        onlyHuman,
        bothFail,
      });
    }
  }
  return people;
}

function judgesOf(judged: readonly JudgedRun[]): EvalJudges["judges"] {
  const each = judged.flatMap(({ line, record }) => record.run.judges.map((judge) => ({ line, judge })));
  const groups = Map.groupBy(each, ({ judge }) => `${judge.model}\u0000${judge.rubricSha}\u0000${judge.threshold}`);
  return [...groups.values()].map((own) => {
    const { model, rubricSha, threshold } = (own[0] as (typeof own)[number]).judge;
    const times = own.map(({ line }) => line.at).sort();
    return {
      ...{ model, rubricSha, threshold },
      runs: own.length,
      firstAt: times[0] ?? "",
      lastAt: times.at(-1) ?? "",
      suites: [...new Set(own.map(({ line }) => line.suite))].sort(),
    };
  });
}

async function outputsBySuite(parts: JudgesParts, judged: readonly JudgedRun[]): Promise<Map<string, JudgedOutput[]>> {
  const found = new Map<string, JudgedOutput[]>();
  let read = 0;
  for (const run of judged) {
    read += run.line.total;
    if (read > mostJudged && found.size > 0) break;
    found.set(run.line.suite, [...(found.get(run.line.suite) ?? []), ...(await outputsOfRun(parts, run))]);
  }
  return found;
}

async function outputsOfRun({ store, judged }: JudgesParts, { line, record }: JudgedRun) {
  const key = `${refOf(line)} ${record.pushedAt}`;
  const known = judged.get(key);
  if (known) return known;
  const outputs: JudgedOutput[] = [];
  for await (const block of store.allResults(refOf(line))) outputs.push(...judgedOutputs(block.map(checked)));
  judged.set(key, outputs);
  const [oldest] = judged.keys();
  if (judged.size > mostKept && oldest !== undefined) judged.delete(oldest);
  return outputs;
}

/** Tools may write anything into these members; only values of the right shape are used. */
function checked(result: EvalResult): EvalResult {
  const given = result.extra.judge_thresholds;
  const thresholds = Object.entries(typeof given === "object" && given !== null ? given : {}).filter(
    ([, least]) => typeof least === "number",
  );
  const extra = { judge_votes: votesOf(result), judge_thresholds: Object.fromEntries(thresholds) };
  return { ...result, extra };
}

function leaningOf(items: readonly JudgedOutput[]): EvalJudges["leaning"] {
  const sums = new Map<string, { model: string; criterion: string; sum: number; items: number }>();
  for (const { votes } of items) {
    if (new Set(votes.map(({ model }) => model)).size < 2) continue;
    const criteria = new Set(votes.flatMap(({ scores }) => Object.keys(scores)));
    for (const criterion of criteria) {
      const given = votes.filter(({ scores }) => scores[criterion] !== undefined);
      const mean = given.reduce((sum, { scores }) => sum + (scores[criterion] ?? 0), 0) / given.length;
      for (const { model, scores } of given) {
        const key = `${criterion}\u0000${model}`;
        const own = sums.get(key) ?? { model, criterion, sum: 0, items: 0 };
        sums.set(key, { ...own, sum: own.sum + (scores[criterion] ?? 0) - mean, items: own.items + 1 });
      }
    }
  }
  return [...sums.keys()].sort().map((key) => {
    const {
      model,
      criterion,
      sum,
      items: count,
    } = sums.get(key) as { model: string; criterion: string; sum: number; items: number };
    return { model, criterion, difference: sum / count, items: count };
  });
}

function driftOf(judged: readonly JudgedRun[]): EvalJudges["drift"] {
  const each = judged.flatMap(({ line, record }) =>
    Object.entries(record.summary.criteria).map(([criterion, { mean, count }]) => ({ line, criterion, mean, count })),
  );
  const groups = Map.groupBy(each, ({ line, criterion }) => `${line.judgeKey}\u0000${criterion}`);
  return [...groups.values()].slice(0, 40).map((own) => ({
    judge: own[0]?.line.judgeKey ?? "",
    criterion: own[0]?.criterion ?? "",
    points: own
      .map(({ line, mean, count }) => ({ at: line.at, run: refOf(line), sha: line.gitSha, mean, results: count }))
      .toSorted((a, b) => (a.at < b.at ? -1 : 1)),
  }));
}
