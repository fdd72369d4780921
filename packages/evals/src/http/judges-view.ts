/**
 * How far judges can be trusted.
 *
 * - `judgesView(parts, filter)` who judged, how far votes on the same outputs agree, how far each judge stands from the
 *   others, how scores moved, and how people see it.
 */
import type { EvalJudges } from "@devflow/protocol";
import { gatingAlpha, type JudgedItem, judgeAgreement, judgeCalibration } from "../judges/agreement.ts";
import { krippendorffAlpha } from "../statistics/krippendorff.ts";
import { cohenKappa, gwetAc1 } from "../statistics/rater-agreement.ts";
import type { RunFilter } from "../store/index-queries.ts";
import type { EvalStore } from "../store/open-store.ts";
import type { RunLine, RunRecord } from "../store/run-record.ts";
import { type Vote, votesOf } from "./result-view.ts";
import { refOf } from "./run-line.ts";
import { newest } from "./stored-runs.ts";

/** What a person said about results that a judge had judged. */
export type LabelPairs = (refs: readonly string[]) => Promise<readonly { judge: boolean; human: boolean }[]>;

export interface JudgesParts {
  readonly store: EvalStore;
  readonly labels: LabelPairs;
  /** Keeps what was read of a run. */
  readonly votes: Map<string, readonly VotedItem[]>;
}

export interface VotedItem extends JudgedItem {
  readonly votes: readonly Vote[];
}

interface JudgedRun {
  readonly line: RunLine;
  readonly record: RunRecord;
}

/** Votes stand in the results themselves, so that these are read whole; the newest ones tell most. */
const mostVoted = 20_000;
const mostKept = 60;

export async function judgesView(parts: JudgesParts, filter: RunFilter): Promise<EvalJudges> {
  const { lines, scope } = newest(parts.store, filter);
  const judged: JudgedRun[] = [];
  for (const line of lines.filter(({ judgeKey }) => judgeKey !== "")) {
    judged.push({ line, record: (await parts.store.run(refOf(line))).record });
  }
  const items = await itemsOf(parts, judged);
  const pairs = await parts.labels(judged.map(({ line }) => refOf(line)));
  const calibration =
    pairs.length === 0 ? null : judgeCalibration(pairs, { cohensKappa: cohenKappa, gwetsAc1: gwetAc1 });
  return {
    judges: judgesOf(judged),
    agreement: judgeAgreement(items, krippendorffAlpha),
    gatingAlpha,
    leaning: leaningOf(items),
    drift: driftOf(judged),
    calibration: calibration && { ...calibration.confusion, ...withoutConfusion(calibration) },
    scope,
  };
}

function withoutConfusion({
  labels,
  isEnough,
  cohensKappa: kappa,
  gwetsAc1: ac1,
}: ReturnType<typeof judgeCalibration>) {
  return { labels, isEnough, cohensKappa: kappa, gwetsAc1: ac1 };
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

async function itemsOf(parts: JudgesParts, judged: readonly JudgedRun[]): Promise<VotedItem[]> {
  const items: VotedItem[] = [];
  let read = 0;
  for (const run of judged) {
    read += run.line.total;
    if (read > mostVoted && items.length > 0) break;
    items.push(...(await votesOfRun(parts, run)));
  }
  return items;
}

async function votesOfRun({ store, votes }: JudgesParts, { line, record }: JudgedRun): Promise<readonly VotedItem[]> {
  const key = `${refOf(line)} ${record.pushedAt}`;
  const known = votes.get(key);
  if (known) return known;
  const threshold = Math.min(1, ...record.run.judges.flatMap((judge) => judge.threshold ?? []));
  const items: VotedItem[] = [];
  for await (const block of store.allResults(refOf(line))) {
    for (const result of block) {
      const questions = Map.groupBy(votesOf(result), ({ expectationType, profile }) => `${expectationType} ${profile}`);
      for (const own of questions.values()) {
        if (own.length < 2) continue;
        const criteria = own.flatMap(({ scores }) => Object.keys(scores));
        items.push({ votes: own, thresholds: Object.fromEntries(criteria.map((criterion) => [criterion, threshold])) });
      }
    }
  }
  votes.set(key, items);
  const [oldest] = votes.keys();
  if (votes.size > mostKept && oldest !== undefined) votes.delete(oldest);
  return items;
}

function leaningOf(items: readonly VotedItem[]): EvalJudges["leaning"] {
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
