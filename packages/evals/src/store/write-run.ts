/**
 * Writes one imported run to its file while it is being read: results, rows, then the summary.
 *
 * - `writeRun(file, imported, facts)` returns the record once everything is on disk.
 */
import type { FileHandle } from "node:fs/promises";
import type { PriceBook } from "@devflow/prices";
import { CostTally, noCost } from "../costs/run-costs.ts";
import { refuse } from "../results/refuse.ts";
import type { CommitNote, EvalResult, EvalTotals, ImportedRun } from "../results/result.ts";
import { type ResultCost, rowOf } from "./result-row.ts";
import { RunFileWriter } from "./run-file.ts";
import type { RunRecord } from "./run-record.ts";
import { type RunSummary, SummaryTally, totalsDiffer } from "./run-summary.ts";

/** So that the garbage of a very large run does not pile up, and small runs lose no time. */
const resultsBetweenRests = 20_000;

interface WriteFacts {
  readonly rest: () => void;
  readonly commits: readonly CommitNote[];
  /** The file's, for messages. */
  readonly name: string | undefined;
  readonly pushedAt: string;
  readonly pricesFile: string;
}

export async function writeRun(file: FileHandle, imported: ImportedRun, facts: WriteFacts): Promise<RunRecord> {
  const { run, superseded = [] } = imported;
  const writer = new RunFileWriter(file);
  const summary = new SummaryTally();
  const prices = new LazyPrices(facts.pricesFile, run.at);
  let ordinal = 0;
  for await (const result of imported.results) {
    const cost = result.usage.length > 0 ? costOf(await prices.tally(), result) : null;
    summary.add(result);
    await writer.add(result, rowOf(result, ordinal, cost));
    ordinal += 1;
    if (ordinal % resultsBetweenRests === 0) facts.rest();
  }
  for (const result of superseded) await writer.addSuperseded(result);
  if (ordinal === 0) {
    throw refuse(
      `${facts.name ?? run.suite}${facts.name ? ` (${run.suite})` : ""} has no results; nothing was stored.`,
      "Check that the tool finished: an empty run would count as a success.",
    );
  }
  const warnings = [...imported.warnings];
  const partial = imported.partial?.() ?? fewerThanClaimed(run.totals, summary.totals);
  if (partial !== null) warnings.unshift(`The run is partial: ${partial}.`);
  const difference = totalsDiffer(run.totals, summary.totals);
  if (difference) warnings.push(difference);
  const needsPrices = prices.isOpen || run.costs.length > 0;
  const cost = needsPrices ? (await prices.tally()).finish(run.costs) : noCost;
  const counted = summary.finish(cost);
  assertFinite(run, counted);
  const record: RunRecord = {
    format: 1,
    run: { ...run, totals: { ...summary.totals } },
    pushedAt: facts.pushedAt,
    contentSha: imported.contentSha ?? null,
    summary: counted,
    superseded: superseded.length,
    ...(partial === null ? {} : { partial }),
    ...(facts.commits.length > 0 ? { commits: facts.commits } : {}),
    losses: [...imported.losses],
    warnings,
  };
  await writer.finish(record);
  return record;
}

/** A pipe whose writer was stopped ends like any other; only the announced total tells. */
function fewerThanClaimed(claimed: EvalTotals, counted: EvalTotals): string | null {
  return claimed.total > counted.total ? `${counted.total} of ${claimed.total} results` : null;
}

/** Each number in a file is finite, but their sum may not be; stored, it would be null, which no list can show. */
function assertFinite({ suite, runId }: ImportedRun["run"], { cost, durations, criteria }: RunSummary): void {
  const sums = {
    costs: [cost, ...cost.models].flatMap(({ actualUsd, estimatedUsd }) => [
      actualUsd,
      estimatedUsd,
      actualUsd + estimatedUsd,
    ]),
    durations: [durations?.sumMs ?? 0],
    scores: Object.values(criteria).map(({ mean }) => mean),
  };
  const [what] = Object.entries(sums).find(([, values]) => !values.every(Number.isFinite)) ?? [];
  if (what === undefined) return;
  throw refuse(
    `The ${what} of ${suite} (run ${runId}) add up to more than a number can hold.`,
    "Check the units in the file, and push it again.",
  );
}

function costOf(tally: CostTally, result: EvalResult): ResultCost {
  let actualUsd = 0;
  let estimatedUsd = 0;
  let isUnpriced = false;
  for (const usage of result.usage) {
    const cost = tally.add(usage);
    actualUsd += cost.actualUsd;
    estimatedUsd += cost.estimatedUsd;
    isUnpriced ||= cost.isUnpriced;
  }
  return { actualUsd, estimatedUsd, isUnpriced };
}

/** Loading the price table takes longer than storing a small run, so it is loaded only for runs with usage. */
class LazyPrices {
  readonly #pricesFile: string;
  readonly #at: string;
  #tally: CostTally | undefined;

  constructor(pricesFile: string, at: string) {
    this.#pricesFile = pricesFile;
    this.#at = at;
  }

  get isOpen(): boolean {
    return this.#tally !== undefined;
  }

  async tally(): Promise<CostTally> {
    this.#tally ??= new CostTally(await openBook(this.#pricesFile), this.#at);
    return this.#tally;
  }
}

async function openBook(overlayFile: string): Promise<PriceBook> {
  const { openPrices } = await import("@devflow/prices");
  return openPrices({ overlayFile });
}
