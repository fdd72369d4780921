/** `devflow eval summary`: all stored runs, one line per suite. */

import type { CommandContext, HandlerOf } from "@devflow/core/command";
import { shortLine } from "@devflow/core/plain-text";
import {
  runName,
  type SuiteSummary,
  sparkline,
  storedRows,
  suiteTitle,
  summarizeRuns,
  trendOf,
} from "@devflow/evals/compare";
import { painter } from "../paint.ts";
import { textTable } from "../text-table.ts";
import { ownLine } from "./own-line.ts";
import { newestLine } from "./pick-runs.ts";
import { sinceOf } from "./since.ts";
import type { evalSummaryRecord } from "./store-commands.ts";
import { allLines, given, withStore } from "./with-store.ts";
import { ago, duration, money, percent, plural, usd } from "./words.ts";

type SuiteLine = SuiteSummary & { readonly trend: string };

export const summary: HandlerOf<typeof evalSummaryRecord> = async (input, context) => {
  const since = input.since === undefined ? undefined : sinceOf(input.since, Date.now());
  const { suite, tier, branch } = input;
  const suites = await withStore(context, async (store): Promise<SuiteLine[]> => {
    newestLine(store);
    const lines = allLines(store, given({ suite, tier, branch, since }));
    const choice = { branch, allBranches: false };
    const trended = new Set((await ownLine(store, lines, choice, context)).map(runName));
    const runs = await storedRows(store, lines);
    return summarizeRuns(runs).map((one) => {
      const own = runs.filter(
        ({ run }) => run.suite === one.suite && run.tier === one.tier && trended.has(runName(run)),
      );
      return { ...one, trend: sparkline(trendOf(own).slice(-20)) };
    });
  });
  context.output.result({ suites }, suites.length === 0 ? "No runs match." : summaryText(suites, context));
};

function summaryText(suites: readonly SuiteLine[], context: CommandContext): string {
  const paint = painter(context);
  const nowMs = Date.now();
  const rows = suites.map((one) => [
    shortLine(suiteTitle(one), 26),
    paint(one.trend, "cyan"),
    one.newest.passRate === null ? "—" : percent(one.newest.passRate),
    String(one.runs),
    String(one.cases),
    one.flakyCases > 0 ? paint(String(one.flakyCases), "yellow") : "0",
    one.latencyP50Ms === null ? "" : duration(one.latencyP50Ms),
    money(one),
    ago(one.lastAt, nowMs).replace(" ago", ""),
  ]);
  const columns = ["SUITE", "", "NOW", "RUNS", "CASES", "FLAKY", "P50", "COST", "LAST"].map((title, at) => ({
    title,
    align: at < 2 ? ("left" as const) : ("right" as const),
  }));
  const sum = (pick: (one: SuiteLine) => number) => suites.reduce((all, one) => all + pick(one), 0);
  const all = `${plural(
    sum(({ runs }) => runs),
    "run",
  )}, ${plural(
    sum(({ results }) => results),
    "result",
  )}, ${usd(sum(({ actualUsd, estimatedUsd }) => actualUsd + estimatedUsd))} at known prices`;
  return `${textTable(columns, rows)}\n${paint(all, "dim")}`;
}
