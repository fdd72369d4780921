/** `devflow eval trend [case|suite]`: the pass rate, commit by commit, with intervals. */

import type { CommandContext, HandlerOf, InputOf } from "@devflow/core/command";
import { shortLine } from "@devflow/core/plain-text";
import {
  type ComparedRun,
  runName,
  sparkline,
  storedRows,
  suiteTierKey,
  suiteTitle,
  type TrendPoint,
  trendOf,
  variantKey,
  variantTitle,
} from "@devflow/evals/compare";
import type { EvalStore, RunLine } from "@devflow/evals/store";
import type { EvalTeam } from "@devflow/evals/team";
import { type Paint, painter } from "../paint.ts";
import type { FindTeam } from "../team/team.ts";
import { textTable } from "../text-table.ts";
import { ownLine } from "./own-line.ts";
import { caseHistory, newestLine } from "./pick-runs.ts";
import { sinceOf } from "./since.ts";
import type { evalTrendRecord } from "./store-commands.ts";
import { evalTeam, withoutTeam } from "./team.ts";
import { allLines, given, withStore } from "./with-store.ts";
import { ago, percent, plural, shortSha } from "./words.ts";

type TrendInput = InputOf<typeof evalTrendRecord>;

interface Trend {
  readonly suite: string;
  readonly tier: string;
  /** If the suite was run with several models or prompts. */
  readonly variant: string | null;
  readonly case: string | null;
  readonly points: readonly TrendPoint[];
}

export const trendWith =
  (findTeam: FindTeam): HandlerOf<typeof evalTrendRecord> =>
  async (input, context) => {
    if (input.team) return teamTrend(await evalTeam(findTeam, context), input, context);
    const trends = await withStore(context, (store) => storedTrends(store, input, context));
    context.output.result({ trends }, trendsText(trends, context));
  };

async function storedTrends(store: EvalStore, input: TrendInput, context: CommandContext): Promise<Trend[]> {
  const since = input.since === undefined ? undefined : sinceOf(input.since, Date.now());
  newestLine(store);
  const filter = given({ tier: input.tier, branch: input.branch, since });
  const all = await ownLine(store, allLines(store, { ...filter, ...given({ suite: input.suite }) }), input, context);
  const isSuite = input.of === undefined || all.some(({ suite }) => suite === input.of);
  if (isSuite) {
    const lines = all.filter(({ suite }) => input.of === undefined || suite === input.of);
    return Promise.all(byPlace(lines).map((runs) => trendFor(store, runs, null, input.limit)));
  }
  const points = caseHistory(store, input.of ?? "", input.suite, input.tier);
  const name = points[0]?.name ?? "";
  const ids = new Set(points.map(({ suite, runId }) => `${suite}/${runId}`));
  return Promise.all(
    byPlace(all.filter((line) => ids.has(runName(line)))).map((runs) => trendFor(store, runs, name, input.limit)),
  );
}

/** A matrix of models and prompts has one trend for each. */
const byPlace = (lines: readonly RunLine[]): RunLine[][] => [
  ...Map.groupBy(lines, (line) => `${suiteTierKey(line)}\u0000${variantKey(line)}`).values(),
];

async function trendFor(
  store: EvalStore,
  runs: readonly RunLine[],
  name: string | null,
  limit: number,
): Promise<Trend> {
  // Newest first. A cut may split the runs of one commit, so more runs are read than points are shown.
  const read = runs.slice(0, limit * 10);
  const cells = new Set(allLines(store, { suite: runs[0]?.suite ?? "" }).map(variantKey));
  const variant = cells.size > 1 && runs[0] ? variantTitle(runs[0]) : null;
  return { ...trendOfRuns(await storedRows(store, read), name, limit), variant };
}

function trendOfRuns(runs: readonly ComparedRun[], name: string | null, limit: number): Trend {
  const points = trendOf(runs, name === null ? {} : { name }).slice(-limit);
  const { suite = "", tier = "standard" } = runs[0]?.run ?? {};
  return { suite, tier, variant: null, case: name, points };
}

async function teamTrend(team: EvalTeam | undefined, input: TrendInput, context: CommandContext): Promise<void> {
  if (!team) return context.output.result({ team: null, trends: [] }, withoutTeam);
  const since = input.since === undefined ? undefined : sinceOf(input.since, Date.now());
  const found = await team.cache.runs(given({ since }));
  const isSuite = found.some(({ run }) => run.suite === input.of);
  const wanted = found.filter(({ run }) =>
    isSuite ? run.suite === input.of : !input.suite || run.suite === input.suite,
  );
  const compared = await Promise.all(
    wanted.map(async (one) => ({ run: one.run, results: await team.cache.results(one) })),
  );
  const places = [...Map.groupBy(compared, ({ run }) => suiteTierKey(run)).values()];
  const name = isSuite ? null : (input.of ?? null);
  const trends = places.map((runs) => trendOfRuns(runs, name, input.limit)).filter(({ points }) => points.length > 0);
  context.output.result({ team: team.name, trends }, `${team.name}\n${trendsText(trends, context)}`);
}

function trendsText(trends: readonly Trend[], context: CommandContext): string {
  const paint = painter(context);
  const shown = trends.filter(({ points }) => points.length > 0);
  if (shown.length === 0) return "No runs match. To see all: devflow eval list";
  const [only] = shown;
  return shown.length === 1 && only ? oneTrend(only, context, paint) : manyTrends(shown, paint);
}

function manyTrends(trends: readonly Trend[], paint: Paint): string {
  const rows = trends.map(({ suite, tier, variant, points }) => {
    const last = points.at(-1);
    return [
      shortLine(suiteTitle({ suite, tier, variant }), 40),
      paint(sparkline(points.slice(-30)), "cyan"),
      last?.passRate == null ? "—" : percent(last.passRate),
      last ? range(last) : "",
      plural(points.length, "point"),
    ];
  });
  const columns = ["SUITE", "", "NOW", "95 %", ""].map((title, at) => ({
    title,
    align: at === 2 ? ("right" as const) : ("left" as const),
  }));
  return `${textTable(columns, rows)}\n${paint("Show one in full: devflow eval trend <suite>", "dim")}`;
}

const range = ({ interval, passRate }: TrendPoint): string =>
  passRate === null ? "" : `${percent(interval.low)} – ${percent(interval.high)}`;

function oneTrend(trend: Trend, { output }: CommandContext, paint: Paint): string {
  const nowMs = Date.now();
  const { points } = trend;
  const title = trend.case === null ? trend.suite : `${trend.case}  ${trend.suite}`;
  const width = Math.max(16, Math.min(40, output.columns - 56));
  const scale = scaleOf(points);
  const rows = points.flatMap((point) => [
    ...(point.breakBefore ? [["", "", paint(`┈ ${point.breakBefore} ┈`, "yellow"), "", "", "", ""]] : []),
    [
      paint(shortSha(point.sha) || "—", "dim"),
      ago(point.at, nowMs).replace(" ago", ""),
      chart(point, scale, width, paint),
      point.passRate === null ? "—" : percent(point.passRate),
      `${point.passes}/${point.results}`,
      point.errors > 0 ? paint(`${point.errors} err`, "yellow") : "",
      plural(point.runIds.length, "run"),
    ],
  ]);
  const columns = [
    { title: "" },
    { title: "", align: "right" as const },
    { title: "" },
    { title: "", align: "right" as const },
    { title: "", align: "right" as const },
    { title: "" },
    { title: "" },
  ];
  const scores = scoreLines(points, paint);
  return [
    `${paint(shortLine(title, 100), "bold")}  ${paint(sparkline(points.slice(-40)), "cyan")}`,
    "",
    textTable(columns, [axis(scale, width, paint), ...rows]),
    ...(scores.length > 0 ? ["", ...scores] : []),
    "",
    paint("█ pass rate, ─ its 95 % interval; runs of one commit are pooled", "dim"),
  ].join("\n");
}

interface Scale {
  readonly from: number;
  readonly to: number;
}

/** Fits the data, in steps of ten points, so that changes of a suite near 100 % are visible. */
function scaleOf(points: readonly TrendPoint[]): Scale {
  const known = points.filter(({ passRate }) => passRate !== null);
  const from = Math.floor(Math.min(0.9, ...known.map(({ interval }) => interval.low)) * 10) / 10;
  const to = Math.ceil(Math.max(from + 0.1, ...known.map(({ interval }) => interval.high)) * 10 - 1e-9) / 10;
  return { from, to };
}

/** The pass rate as a mark on its interval. */
function chart({ passRate, interval }: TrendPoint, { from, to }: Scale, width: number, paint: Paint): string {
  if (passRate === null) return paint("·".repeat(width), "dim");
  const place = (share: number) =>
    Math.min(width - 1, Math.max(0, Math.round(((share - from) / (to - from)) * (width - 1))));
  const [low, at, high] = [place(interval.low), place(passRate), place(interval.high)];
  const cells = Array.from({ length: width }, (_, cell) =>
    cell === at ? paint("█", "cyan") : cell >= low && cell <= high ? paint("─", "cyan") : paint("·", "dim"),
  );
  return cells.join("");
}

function axis({ from, to }: Scale, width: number, paint: Paint): string[] {
  const [left, right] = [from, to].map((share) => `${Math.round(share * 100)} %`) as [string, string];
  return ["", "", paint(left + right.padStart(width - left.length), "dim"), "", "", "", ""];
}

function scoreLines(points: readonly TrendPoint[], paint: Paint): string[] {
  const names = [...new Set(points.flatMap(({ scores }) => Object.keys(scores)))].slice(0, 8);
  const rows = names.map((name) => {
    const means = points.map(({ scores }) => scores[name]?.mean ?? null);
    const inScale = means.every((mean) => mean === null || (mean >= 0 && mean <= 1));
    const line = inScale ? sparkline(means.map((passRate) => ({ passRate, breakBefore: null }))) : "";
    const last = means.findLast((mean) => mean !== null);
    return [shortLine(name, 30), paint(line, "cyan"), last == null ? "" : last.toFixed(3)];
  });
  return rows.length === 0 ? [] : textTable([{ title: "" }, { title: "" }, { title: "" }], rows).split("\n");
}
