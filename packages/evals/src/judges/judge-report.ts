/**
 * How far the judges of a run can be trusted, from its votes and labels.
 *
 * - `judgeReport(results, labels)` agreement between judges, of each judge with itself, and with people; and the cases to label
 *   next. `reportOnOutputs(outputs, labels)` the same for outputs without their texts.
 *
 * The outputs to label next are equal numbers of passed and failed ones, sampled by hash. Labelling in that order gives a sample
 * of each verdict, and the figures are weighted by how often each verdict was given.
 */
import type { EvalResult } from "../results/result.ts";
import { cohenKappa, gwetAc1, krippendorffAlpha, labelsSuffice, reweightByVerdict } from "../statistics/index.ts";
import { type CriterionAgreement, type JudgedItem, judgeAgreement } from "./agreement.ts";
import { type HumanLabel, outputShaOf } from "./human-labels.ts";

export interface JudgedOutput {
  readonly ordinal: number;
  readonly name: string;
  readonly repeat: number;
  readonly outputSha: string;
  /** Whether every criterion reached its threshold. */
  readonly isPass: boolean;
  readonly scores: Readonly<Record<string, number>>;
  readonly thresholds: Readonly<Record<string, number>>;
  readonly votes: readonly { readonly model: string; readonly scores: Readonly<Record<string, number>> }[];
}

export interface PeopleAgreement {
  /** Null: whole outputs. */
  readonly criterion: string | null;
  readonly labels: number;
  /** Rows: passed or failed by the judges. Columns: by people. */
  readonly table: readonly (readonly number[])[];
  /** At least 30 labels, 10 of them with the rarer verdict. */
  readonly isEnough: boolean;
  /** Weighted by how often the judges gave each verdict; null if there are not enough labels. */
  readonly cohensKappa: number | null;
  readonly gwetsAc1: number | null;
  readonly agreement: number | null;
}

export interface JudgeReport {
  readonly judged: number;
  readonly judgedPass: number;
  readonly models: readonly string[];
  /** Between different judges; empty if there is only one. */
  readonly between: readonly CriterionAgreement[];
  /** For judges that voted several times on one output. */
  readonly within: readonly (CriterionAgreement & { readonly model: string })[];
  readonly people: readonly PeopleAgreement[];
  /** In the recommended order. */
  readonly next: readonly JudgedOutput[];
}

export function judgeReport(results: readonly EvalResult[], labels: readonly HumanLabel[]): JudgeReport {
  return reportOnOutputs(judgedOutputs(results), labels);
}

export function reportOnOutputs(outputs: readonly JudgedOutput[], labels: readonly HumanLabel[]): JudgeReport {
  const models = [...new Set(outputs.flatMap(({ votes }) => votes.map(({ model }) => model)))].sort();
  const labelled = new Set(labels.filter(({ criterion }) => criterion === null).map(keyOfLabel));
  const open = outputs.filter((one) => !labelled.has(keyOfOutput(one)));
  return {
    judged: outputs.length,
    judgedPass: outputs.filter(({ isPass }) => isPass).length,
    models,
    between: models.length > 1 ? judgeAgreement(outputs.map(oneVoteEach), krippendorffAlpha) : [],
    within: models.flatMap((model) =>
      judgeAgreement(
        outputs.map(({ votes, thresholds }) => ({ votes: votes.filter((vote) => vote.model === model), thresholds })),
        krippendorffAlpha,
      )
        .filter(({ items }) => items > 0)
        .map((one) => ({ model, ...one })),
    ),
    people: peopleAgreement(outputs, labels),
    next: balanced(open),
  };
}

/** The judged outputs, in the order of the run. */
export function judgedOutputs(results: readonly EvalResult[]): JudgedOutput[] {
  return results.flatMap((result, ordinal) => {
    const extra = result.extra as {
      judge_votes?: JudgedOutput["votes"];
      judge_thresholds?: Readonly<Record<string, number>>;
    };
    const votes = extra.judge_votes ?? [];
    const thresholds = extra.judge_thresholds ?? {};
    if (votes.length === 0) return [];
    const isPass = Object.entries(thresholds).every(([name, least]) => (result.scores[name] ?? -1) >= least);
    const { name, repeat, scores, output } = result;
    return [{ ordinal, name, repeat, outputSha: outputShaOf(output), isPass, scores, thresholds, votes }];
  });
}

/** A judge that votes three times is still one judge. */
function oneVoteEach({ votes, thresholds }: JudgedOutput): JudgedItem {
  const groups = Map.groupBy(votes, ({ model }) => model);
  const mean = (some: readonly { scores: Readonly<Record<string, number>> }[]) => {
    const names = [...new Set(some.flatMap(({ scores }) => Object.keys(scores)))];
    const scores = names.map((name) => {
      const given = some.flatMap((vote) => vote.scores[name] ?? []);
      return [name, given.reduce((sum, score) => sum + score, 0) / given.length] as const;
    });
    return { scores: Object.fromEntries(scores) };
  };
  return { votes: [...groups.values()].map(mean), thresholds };
}

function peopleAgreement(outputs: readonly JudgedOutput[], labels: readonly HumanLabel[]): PeopleAgreement[] {
  const byOutput = Map.groupBy(labels, keyOfLabel);
  const criteria = [...new Set(labels.map(({ criterion }) => criterion))].sort((a, b) =>
    (a ?? "") < (b ?? "") ? -1 : 1,
  );
  return criteria.flatMap((criterion) => {
    const verdictOf = (one: JudgedOutput): boolean | undefined => {
      if (criterion === null) return one.isPass;
      const [score, least] = [one.scores[criterion], one.thresholds[criterion]];
      return score === undefined || least === undefined ? undefined : score >= least;
    };
    const table = [
      [0, 0],
      [0, 0],
    ];
    const population = [0, 0];
    for (const one of outputs) {
      const judge = verdictOf(one);
      if (judge === undefined) continue;
      const row = judge ? 0 : 1;
      population[row] = (population[row] ?? 0) + 1;
      const said = (byOutput.get(keyOfOutput(one)) ?? []).filter((label) => label.criterion === criterion);
      for (const { verdict } of said) {
        const cells = table[row] ?? [];
        const column = verdict === "pass" ? 0 : 1;
        cells[column] = (cells[column] ?? 0) + 1;
      }
    }
    const count = table.flat().reduce((sum, cell) => sum + cell, 0);
    if (count === 0) return [];
    const isEnough = labelsSuffice(table);
    const weighted = reweightByVerdict(table, population);
    const all = weighted.flat().reduce((sum, cell) => sum + cell, 0);
    return [
      {
        criterion,
        labels: count,
        table,
        isEnough,
        cohensKappa: isEnough ? cohenKappa(weighted) : null,
        gwetsAc1: isEnough ? gwetAc1(weighted) : null,
        agreement: isEnough && all > 0 ? ((weighted[0]?.[0] ?? 0) + (weighted[1]?.[1] ?? 0)) / all : null,
      },
    ];
  });
}

function balanced(outputs: readonly JudgedOutput[]): JudgedOutput[] {
  const drawn = outputs.toSorted((a, b) =>
    a.outputSha < b.outputSha ? -1 : a.outputSha > b.outputSha ? 1 : a.ordinal - b.ordinal,
  );
  const passes = drawn.filter(({ isPass }) => isPass);
  const fails = drawn.filter(({ isPass }) => !isPass);
  const longest = Math.max(passes.length, fails.length);
  return Array.from({ length: longest }, (_, at) => [fails[at], passes[at]])
    .flat()
    .filter((one) => one !== undefined);
}

const keyOfLabel = ({ name, output_sha }: HumanLabel): string => `${output_sha}\n${name}`;
const keyOfOutput = ({ name, outputSha }: JudgedOutput): string => `${outputSha}\n${name}`;
