/** `devflow eval cost`: what a stored run or a result file cost, per model and at other tiers. */
import { stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { CommandContext, HandlerOf, InputOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { shortLine } from "@devflow/core/plain-text";
import {
  CostTally,
  costAtTier,
  costDashboard,
  costPage,
  type EvalRun,
  modelTiers,
  type RunCost,
  readResults,
} from "@devflow/evals";
import { openPrices } from "@devflow/prices";
import type { evalCostRecord } from "./check-commands.ts";
import { newestRun } from "./pick-suite.ts";
import { withStore } from "./with-store.ts";
import { shortRun } from "./words.ts";

type CostInput = InputOf<typeof evalCostRecord>;

export const cost: HandlerOf<typeof evalCostRecord> = async (input, context) => {
  const book = await openPrices({ overlayFile: join(context.config().home, "prices.json") });
  const { run, cost: spent } = await costOf(input, context, book);
  if (spent.models.length === 0) {
    throw new DevflowError("not_found", {
      details: {
        what: `Model usage in ${run.suite}, run ${shortRun(run.runId)},`,
        next: "It is recorded as usage in results or as costs in runs: docs/eval-result-format.md",
      },
    });
  }
  const otherTiers = modelTiers
    .map((tier) => costAtTier(book, spent, tier, run.at))
    .filter(({ tier }) => tier !== run.tier);
  const view = { tier: run.tier, cost: spent, otherTiers };
  const page = input.html === undefined ? undefined : resolve(context.cwd, input.html);
  if (page !== undefined) await writeFile(page, costPage(view, run));
  const about = `${shortLine(run.suite, 80)}  ${shortLine(run.label, 80)}  ${run.at.slice(0, 16).replace("T", " ")} UTC`;
  const text = [about, costDashboard(view), ...(page === undefined ? [] : [`Page: ${page}`])].join("\n");
  const { suite, runId, tier, at } = run;
  context.output.result({ suite, runId, tier, at, cost: spent, otherTiers, ...(page ? { page } : {}) }, text);
};

async function costOf(
  { run: given, suite }: CostInput,
  context: CommandContext,
  book: Awaited<ReturnType<typeof openPrices>>,
): Promise<{ readonly run: EvalRun; readonly cost: RunCost }> {
  const path = given === undefined ? undefined : resolve(context.cwd, given);
  if (path !== undefined && (await stat(path).catch(() => undefined))?.isFile()) {
    const imported = await readResults(path, { defaults: { nowMs: Date.now() } });
    const tally = new CostTally(book, imported.run.at);
    for await (const { usage } of imported.results) for (const one of usage) tally.add(one);
    return { run: imported.run, cost: tally.finish(imported.run.costs) };
  }
  return await withStore(context, async (store) => {
    const { record } = await store.run(given ?? newestRun(store, suite));
    return { run: record.run, cost: record.summary.cost };
  });
}
