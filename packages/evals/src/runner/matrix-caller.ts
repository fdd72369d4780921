/**
 * Makes one call of a run and checks its answer.
 *
 * - `matrixCaller(parts)` `perform(call)` the result and what it cost now; `finished(call)` its result from before a crash;
 *   `estimate(call)` what it will cost at most, null if unknown.
 *
 * The story of a call: note in the journal that it starts → ask, with retries → put the answer on disk → check it, with judges →
 * put the result on disk. An answer on disk is never asked for again, and a result on disk is not judged again. A call that failed
 * is an ERROR, and is made again when the run is continued.
 */
import type { Clock } from "@devflow/core/clock";
import { hash } from "@devflow/core/hash";
import { openCache } from "../cache/eval-cache.ts";
import type { EvalCase } from "../cases/index.ts";
import {
  brokenCheck,
  checkCase,
  failedResult,
  type JudgeSettings,
  judgeFrom,
  type ResultRecord,
  verboseLog,
} from "../check/index.ts";
import { expectationType } from "../expectations/index.ts";
import { type ProviderAnswer, ProviderFault } from "../providers/provider.ts";
import type { ProviderSpec } from "../providers/provider-spec.ts";
import { outputOf } from "./answer-output.ts";
import type { CallLimiter } from "./call-limiter.ts";
import { callWithRetries } from "./call-with-retries.ts";
import type { CellCosts } from "./cell-costs.ts";
import { tokensAtMost } from "./cost-estimate.ts";
import type { MatrixCell, PlannedCall } from "./plan-matrix.ts";
import { promptLength } from "./render-prompt.ts";
import type { Journal } from "./run-journal.ts";

export interface CallerParts {
  readonly suite: string;
  readonly cells: readonly MatrixCell[];
  readonly cases: readonly EvalCase[];
  readonly limiters: ReadonlyMap<ProviderSpec, CallLimiter>;
  readonly journal: Journal;
  readonly costs: CellCosts;
  readonly judge: JudgeSettings | undefined;
  readonly verboseFolder: string | undefined;
  /** The home whose output cache is used; undefined: no cache. */
  readonly cacheHome: string | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

interface Asked {
  readonly answer: ProviderAnswer;
  /** What it cost now: nothing if it was already there. */
  readonly usd: number;
  readonly isCached: boolean;
}

export interface MatrixCaller {
  perform(call: PlannedCall): Promise<{ readonly result: ResultRecord; readonly usd: number }>;
  finished(call: PlannedCall): ResultRecord | undefined;
  estimate(call: PlannedCall): number | null;
}

export function matrixCaller(parts: CallerParts): MatrixCaller {
  const { suite, cells, cases, limiters, journal, costs, clock, random, signal } = parts;
  const cache = parts.cacheHome === undefined ? undefined : openCache(parts.cacheHome);
  const judgeSha = parts.judge ? hash(judgeIdentity(parts.judge)) : null;
  const checksShaOf = ({ caseNo }: PlannedCall) => hash([cases[caseNo]!.expectationsSha, judgeSha]);
  const isJudged = ({ caseNo }: PlannedCall) =>
    parts.judge !== undefined && cases[caseNo]!.expectations.some(({ type }) => expectationType(type)?.judged === true);
  const estimateOf = (call: PlannedCall): number | null => {
    const isAnswered = journal.facts.answers.has(call.key);
    const asking = isAnswered ? 0 : costs.estimate(call.cell, promptLength(call.prompt));
    const judging = isJudged(call) ? costs.judgeEstimate() : 0;
    return asking === null || judging === null ? null : asking + judging;
  };

  async function ask(call: PlannedCall): Promise<Asked> {
    const { key, cell, caseNo, prompt } = call;
    const { provider, spec } = cells[cell]!;
    const known = journal.facts.answers.get(key);
    if (known) return { answer: known.answer, usd: 0, isCached: known.isCached === true };
    const cached = (await cache?.read(suite, key)) as { answer?: ProviderAnswer } | undefined;
    if (cached?.answer) {
      await journal.append({ answered: key, answer: cached.answer, usd: 0, isCached: true });
      return { answer: cached.answer, usd: 0, isCached: true };
    }
    await journal.append({ started: key, estimateUsd: estimateOf(call) });
    try {
      const answer = await callWithRetries(
        provider,
        { prompt, vars: cases[caseNo]!.input, signal },
        { limiter: limiters.get(spec)!, tokens: tokensAtMost(promptLength(prompt)), clock, random },
      );
      const usd = costs.answer(cell, answer);
      await journal.append({ answered: key, answer, usd });
      await cache?.write(suite, key, { answer, cost_usd: usd }, { caseName: cases[caseNo]!.name });
      return { answer, usd: usd ?? 0, isCached: false };
    } catch (error) {
      if (error instanceof ProviderFault) {
        await journal.append({ failed: key, usd: costs.tokens(cell, error.tokens) });
      }
      throw error;
    }
  }

  return {
    finished(call) {
      const known = journal.facts.results.get(call.key);
      return known?.checksSha === checksShaOf(call) ? known.result : undefined;
    },
    estimate: estimateOf,
    async perform(call) {
      const given = cases[call.caseNo]!;
      const began = performance.now();
      const { id } = cells[call.cell]!.spec;
      let asked: Asked;
      try {
        asked = await ask(call);
      } catch (error) {
        if (!(error instanceof ProviderFault)) throw error;
        const problem = `${id}: ${error.message}`;
        // Without a key or a program no call can succeed: the run stops, and goes on once that is fixed.
        if (error.kind === "misconfigured") throw new ProviderFault("misconfigured", problem, { cause: error });
        const result = failedResult(given, call.repeat, problem, Math.round(performance.now() - began));
        return { result, usd: costs.tokens(call.cell, error.tokens) };
      }
      const answered = outputOf(asked.answer, cells[call.cell]!);
      const output = asked.isCached ? { ...answered, cached: true, usage: [] } : answered;
      // One log for each call, because several are checked at once.
      const log = parts.verboseFolder === undefined ? undefined : verboseLog(parts.verboseFolder, clock.now);
      const judge = parts.judge && judgeFrom(parts.judge, (exchange) => log?.exchange(exchange), signal);
      const result = await checkCase(given, { kind: "one", one: output }, { repeat: call.repeat, judge }).catch(
        (error: unknown) => {
          signal.throwIfAborted();
          return failedResult(given, call.repeat, brokenCheck(error));
        },
      );
      const judged = result.usage.slice(output.usage?.length ?? 0);
      const judgeUsd = isJudged(call) ? costs.judges(judged) : 0;
      await log?.finish(result);
      // A judge that failed is asked again when the run is continued.
      if (result.status !== "error") {
        await journal.append({ checked: call.key, result, judgeUsd, checksSha: checksShaOf(call) });
      }
      return { result, usd: asked.usd + judgeUsd };
    },
  };
}

/** What a verdict of the judges depends on; keys and addresses do not matter. */
const judgeIdentity = ({ profiles, tier, isFullRun }: JudgeSettings) => ({
  tiers: profiles.tiers,
  profiles: [...profiles.profiles].map(([, profile]) => JSON.parse(JSON.stringify(profile)) as unknown),
  tier,
  isFullRun,
});
