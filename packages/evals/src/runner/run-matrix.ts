/**
 * Asks models itself: every case × prompt × provider, checked as it is answered.
 *
 * - `runMatrix(options)` one run record per cell. It can be killed at any moment: the same call continues it.
 *
 * A run ends because everything is answered, because a sequential test has decided (`until`), or because the budget is spent.
 */
import { rm } from "node:fs/promises";
import { type Clock, systemClock } from "@devflow/core/clock";
import { DevflowError } from "@devflow/core/errors";
import { hash } from "@devflow/core/hash";
import { uuidv7 } from "@devflow/core/ids";
import type { PriceBook } from "@devflow/prices";
import type { EvalCase } from "../cases/index.ts";
import {
  type CheckProgress,
  type JudgeSettings,
  type PartialFacts,
  partialFile,
  type ResultRecord,
  type RunFacts,
  type RunRecord,
  removePartialsOf,
  runRecord,
} from "../check/index.ts";
import { createProvider, type ProviderContext } from "../providers/create-provider.ts";
import { ProviderFault } from "../providers/provider.ts";
import type { ProviderSpec } from "../providers/provider-spec.ts";
import type { EvalTier } from "../results/result.ts";
import { openBudget } from "./budget.ts";
import { type CallLimiter, callLimiter } from "./call-limiter.ts";
import { cellCosts } from "./cell-costs.ts";
import { matrixCaller } from "./matrix-caller.ts";
import { openRun } from "./open-run.ts";
import { type MatrixCell, type PlannedCall, planCalls, planCells } from "./plan-matrix.ts";
import type { Prompt } from "./render-prompt.ts";
import type { JournalHead } from "./run-journal.ts";
import {
  type PairStatus,
  type SequentialDecision,
  type SequentialFinding,
  sequentialDecision,
} from "./until-decided.ts";

export interface RunMatrixOptions {
  readonly home: string;
  readonly suite: string;
  /** Already selected. */
  readonly cases: readonly EvalCase[];
  readonly providers: readonly ProviderSpec[];
  readonly prompts: readonly Prompt[];
  /** With `until`, the most repeats. */
  readonly repeats: number;
  readonly until?: UntilDecided | undefined;
  readonly tier: EvalTier;
  readonly facts: RunFacts;
  readonly context: ProviderContext;
  readonly prices: PriceBook;
  readonly maxUsd: number | undefined;
  /** The most calls at once for each provider. */
  readonly concurrency: number;
  readonly judge?: JudgeSettings | undefined;
  /** `<home>/eval-partials/<suite>`. */
  readonly partialsFolder: string;
  readonly verboseFolder?: string | undefined;
  /** The home whose output cache is used; undefined: no cache. */
  readonly cacheHome?: string | undefined;
  readonly fresh?: boolean;
  readonly onStart?: (start: MatrixStart) => void;
  readonly onProgress?: (progress: MatrixProgress) => void;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  readonly random?: () => number;
}

export interface UntilDecided {
  /** Instead of the first variant: an earlier run, its statuses by case and repeat. */
  readonly against?: { readonly title: string; statuses(given: EvalCase): readonly PairStatus[] } | undefined;
}

export interface MatrixStart {
  readonly isResumed: boolean;
  readonly answered: number;
  /** Calls that were in flight when the process died; they are made again. */
  readonly lost: number;
  readonly otherUnfinished: number;
  readonly spentUsd: number;
  readonly calls: number;
}

export interface MatrixProgress extends CheckProgress {
  readonly spentUsd: number;
  readonly maxUsd: number | undefined;
}

export const matrixEnds = ["complete", "decided", "budget"] as const;

export interface MatrixResult {
  readonly end: (typeof matrixEnds)[number];
  /** One per cell. */
  readonly runs: readonly RunRecord[];
  readonly titles: readonly string[];
  readonly findings: readonly SequentialFinding[];
  readonly calls: number;
  readonly done: number;
  readonly spentUsd: number;
  /** Providers whose cost is unknown, so that it does not count towards the budget. */
  readonly unpriced: readonly string[];
  /** Call this once the runs are stored. Until then, no other process can continue the run. */
  forget(): Promise<void>;
  /** Instead of `forget`: the run can be continued. */
  close(): void;
}

export async function runMatrix(options: RunMatrixOptions): Promise<MatrixResult> {
  const { home, suite, cases, tier, facts, clock = systemClock, maxUsd, until } = options;
  const began = clock.now();
  const { cells, limiters } = openCells(options, clock);
  const calls = planCalls(cells, cases, options.repeats);
  const costs = cellCosts(cells, options.prices, () => new Date(clock.now()));
  if (maxUsd !== undefined) costs.refuseUnpriced();
  const run = await openRun(
    home,
    {
      suite,
      tier,
      label: facts.label,
      gitSha: facts.gitSha,
      cells: cells.map(({ title, spec, prompt }) => [title, spec.id, spec.base_url ?? null, prompt.content]),
    },
    { fresh: options.fresh === true, newHead: () => headFor(cells, began) },
  );
  const { journal } = run;
  const { head } = journal.facts;
  const partialFacts: PartialFacts & { planned: number; note?: string } = {
    run_id: head.matrix,
    suite,
    label: facts.label,
    tier,
    planned: calls.length,
    // Of this process: a continued run is watched as a new one, with the results so far.
    timestamp: new Date(began).toISOString(),
    git_sha: facts.gitSha,
    git_branch: facts.gitBranch,
    asked: {
      cells: cells.map(({ title, run: named }) => ({ run_id: head.runIds[title] ?? "", title, ...named })),
      max_usd: maxUsd ?? null,
      journal: journal.path,
    },
  };
  await removePartialsOf(options.partialsFolder, head.matrix);
  const partial = partialFile(options.partialsFolder, partialFacts, clock.now);
  const budget = openBudget(maxUsd, journal.facts.spentUsd);
  const decision = until && decisionFor(cells, cases, until);
  const results = new Map<PlannedCall, ResultRecord>();
  const running = new Map<PlannedCall, string>();
  const { signal } = options;
  /** Ends the run once the calls in flight are answered: they are paid for. */
  let failure: unknown;
  const failed = (error: unknown) => {
    failure ??= error;
  };
  options.onStart?.({
    isResumed: run.isResumed,
    answered: calls.filter(({ key }) => journal.facts.answers.has(key)).length,
    lost: journal.facts.lost.size,
    otherUnfinished: run.others,
    spentUsd: budget.spentUsd,
    calls: calls.length,
  });

  const tally = { passed: 0, failed: 0, errors: 0 };
  const report = (last: CheckProgress["last"]) =>
    options.onProgress?.({
      done: results.size,
      total: calls.length,
      ...tally,
      running: [...running.values()],
      elapsedMs: clock.now() - began,
      last,
      spentUsd: budget.spentUsd,
      maxUsd,
    });
  const keep = (call: PlannedCall, result: ResultRecord, isOld = false) => {
    const { title } = cells[call.cell]!;
    results.set(call, result);
    running.delete(call);
    tally[result.status === "pass" ? "passed" : result.status === "fail" ? "failed" : "errors"] += 1;
    decision?.add(call.cell, call.caseNo, call.repeat, result.status);
    const which = { cell: call.cell, ...(cells.length > 1 ? { variant: title } : {}) };
    void partial.add({ ...result, ...which }, { isOld }).catch(failed);
    report({ name: result.name, status: result.status });
  };
  const caller = matrixCaller({
    suite,
    cells,
    cases,
    limiters,
    journal,
    costs,
    judge: options.judge,
    verboseFolder: options.verboseFolder,
    cacheHome: options.cacheHome,
    clock,
    random: options.random ?? Math.random,
    signal,
  });

  for (const call of calls) {
    const finished = caller.finished(call);
    if (finished) keep(call, finished, true);
  }
  let isBudgetSpent = false;
  /** The calls of one provider, in order. Providers do not wait for each other. */
  const pump = async (own: readonly PlannedCall[], most: number): Promise<void> => {
    const inFlight = new Set<Promise<void>>();
    const isStopping = () => isBudgetSpent || decision?.isOver || failure !== undefined;
    for (const call of own) {
      if (isStopping() || signal.aborted) break;
      if (results.has(call) || decision?.isDecided(call.cell)) continue;
      while (inFlight.size >= most) await Promise.race(inFlight);
      if (isStopping() || signal.aborted) break;
      const reservation = await budget.reserve(() => caller.estimate(call));
      if (isStopping() || signal.aborted || !reservation) {
        isBudgetSpent ||= !reservation;
        reservation?.settle(0);
        break;
      }
      const { name } = cases[call.caseNo]!;
      running.set(call, name);
      void partial.running(name).catch(failed);
      report(undefined);
      const task = caller
        .perform(call)
        .then(
          ({ result, usd }) => {
            reservation.settle(usd);
            keep(call, result);
          },
          (error: unknown) => {
            reservation.settle(0);
            running.delete(call);
            failed(error);
          },
        )
        .finally(() => inFlight.delete(task));
      inFlight.add(task);
    }
    await Promise.all(inFlight);
  };

  try {
    const byProvider = Map.groupBy(calls, ({ cell }) => cells[cell]!.spec);
    const pumps = [...byProvider].map(([spec, own]) => pump(own, spec.concurrency ?? options.concurrency));
    await Promise.all(pumps);
    signal.throwIfAborted();
    if (failure !== undefined) throw failure;
    const end = decision?.isOver ? "decided" : isBudgetSpent ? "budget" : "complete";
    if (end === "budget") partialFacts.note = `Stopped: the budget of $${maxUsd} is spent.`;
    else partialFacts.planned = results.size;
    await partial.finish();
    return {
      end,
      runs: recordsOf(cells, results, { options, head, began, nowMs: clock.now() }),
      titles: cells.map(({ title }) => title),
      findings: decision?.findings ?? [],
      calls: calls.length,
      done: results.size,
      spentUsd: budget.spentUsd,
      unpriced: costs.unpriced(),
      close: run.release,
      forget: async () => {
        await rm(partial.path, { force: true });
        await run.remove();
      },
    };
  } catch (error) {
    await partial.flush().catch(() => undefined);
    run.release();
    throw error instanceof ProviderFault ? notAsked(error) : error;
  } finally {
    await journal.close();
  }
}

function openCells(
  { providers, prompts, context, concurrency }: RunMatrixOptions,
  clock: Clock,
): { readonly cells: readonly MatrixCell[]; readonly limiters: ReadonlyMap<ProviderSpec, CallLimiter> } {
  const limiters = new Map<ProviderSpec, CallLimiter>();
  const opened = providers.map((spec) => {
    const limiter = callLimiter({ most: spec.concurrency ?? concurrency, clock });
    limiters.set(spec, limiter);
    return { spec, provider: createProvider(spec, { ...context, onHeaders: limiter.learn }) };
  });
  return { cells: planCells(opened, prompts), limiters };
}

/** Ids differ in their millisecond, so that their first characters identify them. The first run names the matrix. */
function headFor(cells: readonly MatrixCell[], nowMs: number): JournalHead {
  const ids = cells.map((_, index) => uuidv7(nowMs + index));
  const runIds = Object.fromEntries(cells.map(({ title }, index) => [title, ids[index] ?? ""]));
  return { version: 1, matrix: ids[0] ?? "", at: new Date(nowMs).toISOString(), runIds };
}

function decisionFor(
  cells: readonly MatrixCell[],
  cases: readonly EvalCase[],
  { against }: UntilDecided,
): SequentialDecision {
  if (!against) return sequentialDecision({ cases: cases.length, sides: cells.map(({ title }) => title) });
  const sides = [against.title, ...cells.map(({ title }) => title)];
  const decision = sequentialDecision({ cases: cases.length, sides });
  for (const [caseNo, given] of cases.entries()) {
    for (const [repeat, status] of against.statuses(given).entries()) decision.add(0, caseNo, repeat, status);
  }
  return {
    ...decision,
    add: (side, caseNo, repeat, status) => decision.add(side + 1, caseNo, repeat, status),
    isDecided: (side) => decision.isDecided(side + 1),
    get findings() {
      return decision.findings;
    },
    get isOver() {
      return decision.isOver;
    },
  };
}

interface RecordPlace {
  readonly options: RunMatrixOptions;
  readonly head: JournalHead;
  readonly began: number;
  readonly nowMs: number;
}

function recordsOf(
  cells: readonly MatrixCell[],
  results: ReadonlyMap<PlannedCall, ResultRecord>,
  { options: { suite, facts, tier }, head, began, nowMs }: RecordPlace,
): RunRecord[] {
  return cells.map(({ title, run, prompt }, index) => {
    const own = [...results]
      .filter(([{ cell }]) => cell === index)
      .sort(([a], [b]) => a.caseNo - b.caseNo || a.repeat - b.repeat)
      .map(([, result]) => result);
    const record = runRecord(own, {
      runId: head.runIds[title] ?? head.matrix,
      suite,
      label: facts.label,
      at: Date.parse(head.at),
      gitSha: facts.gitSha,
      gitBranch: facts.gitBranch,
      promptSha: promptSha(prompt),
      host: facts.host,
      tier,
      model: run.model,
      durationMs: nowMs - began,
    });
    return {
      ...record,
      provider: run.provider,
      ...(run.variant === null ? {} : { variant: run.variant }),
      ...(cells.length > 1 ? { matrix: head.matrix } : {}),
    };
  });
}

function promptSha({ content }: Prompt): string | null {
  return content === "" ? null : hash(content);
}

function notAsked(fault: ProviderFault): DevflowError {
  return new DevflowError("input_invalid", {
    details: {
      problem: `A provider cannot be asked: ${fault.message}.`,
      next: "Check its key, model and address, then repeat the command: what was answered is kept.",
    },
    cause: fault,
  });
}
