/**
 * Everything needed to check cases, in this process or in a worker.
 *
 * - `CheckSettings` holds values that can be sent to a worker; only `toWire` reveals secrets.
 * - `caseRunner(settings, hooks)` its `run(job)` never throws: a failure becomes the case's ERROR.
 */
import { systemClock } from "@devflow/core/clock";
import { Secret } from "@devflow/core/secret";
import type { EvalCase } from "../cases/index.ts";
import {
  createJudge,
  type Judge,
  type JudgeProfiles,
  judgeCache,
  judgeProvider,
  type ProviderTarget,
} from "../judges/index.ts";
import type { ModelTier } from "../model-tiers.ts";
import { type AssertionSettings, openAssertionChecks } from "./assertion-checks.ts";
import { cachedOutputs } from "./cached-outputs.ts";
import type { CaseOutputs } from "./case-output.ts";
import { brokenCheck, checkCase, failedResult } from "./check-case.ts";
import { type OutputCommand, runForCase } from "./command-outputs.ts";
import { type PartialFacts, partialFile } from "./partial-file.ts";
import type { ResultRecord } from "./result-record.ts";
import { verboseLog } from "./verbose-log.ts";

export interface JudgeSettings {
  readonly profiles: JudgeProfiles;
  readonly tier: ModelTier;
  readonly isFullRun: boolean;
  readonly providers: { readonly anthropic: ProviderTarget; readonly openai: ProviderTarget };
  /** Undefined with `EVAL_JUDGE_CACHE=0`. */
  readonly cacheFolder?: string | undefined;
}

export interface CheckSettings {
  readonly facts: PartialFacts;
  readonly command?: OutputCommand | undefined;
  readonly judge?: JudgeSettings | undefined;
  readonly partialsFolder: string;
  /** Where the logs of `EVAL_VERBOSE` go. */
  readonly verboseFolder?: string | undefined;
  readonly cacheHome?: string | undefined;
  /** For promptfoo's assertion types. */
  readonly assertions?: AssertionSettings | undefined;
}

/** One repeat of one case, with its outputs or to be run by the command. */
export interface CheckJob {
  readonly index: number;
  readonly given: EvalCase;
  readonly repeat: number;
  readonly outputs?: CaseOutputs | undefined;
}

export interface CaseRunner {
  run(job: CheckJob): Promise<ResultRecord>;
  /** Adds a result that needed no checking. */
  keep(result: ResultRecord): Promise<void>;
  /** Writes the finished results to disk. */
  flush(): Promise<void>;
  /** The same, and marks the worker as finished. */
  finish(): Promise<void>;
}

export interface RunnerHooks {
  readonly signal?: AbortSignal | undefined;
  readonly onProcess?: ((pid: number | undefined) => void) | undefined;
}

export function caseRunner(settings: CheckSettings, { signal, onProcess }: RunnerHooks = {}): CaseRunner {
  const { facts, command, partialsFolder, verboseFolder, cacheHome } = settings;
  const partial = partialFile(partialsFolder, facts, systemClock.now);
  const log = verboseFolder === undefined ? undefined : verboseLog(verboseFolder, systemClock.now);
  const judge = settings.judge && judgeFrom(settings.judge, (exchange) => log?.exchange(exchange), signal);
  const assertions =
    settings.assertions &&
    openAssertionChecks(settings.assertions, {
      judge: settings.judge && judgeProvider(settings.judge, signal),
      signal,
    });

  const produce = async (given: EvalCase, command: OutputCommand, repeat: number): Promise<CaseOutputs> => {
    const run = () => runForCase(given, command, { repeat, tier: facts.tier, signal, onProcess });
    return cacheHome === undefined
      ? await run()
      : await cachedOutputs(run, given, {
          home: cacheHome,
          suite: facts.suite,
          tier: facts.tier,
          argv: command.argv,
          repeat,
        });
  };
  async function check({ given, repeat, outputs }: CheckJob): Promise<ResultRecord> {
    const began = performance.now();
    try {
      const found = outputs ?? (command && (await produce(given, command, repeat)));
      // A stopped command gives no result for its case.
      signal?.throwIfAborted();
      if (!found) return failedResult(given, repeat, "no output was found");
      return await checkCase(given, found, { repeat, judge, assertions });
    } catch (error) {
      signal?.throwIfAborted();
      return failedResult(given, repeat, brokenCheck(error), Math.round(performance.now() - began));
    }
  }
  return {
    async run(job) {
      await partial.running(job.given.name);
      const result = await check(job);
      await log?.finish(result);
      await partial.add(result);
      return result;
    },
    keep: (result) => partial.add(result),
    async flush() {
      await assertions?.close();
      await partial.flush();
    },
    async finish() {
      await assertions?.close();
      await partial.finish();
    },
  };
}

type Exchange = NonNullable<Parameters<typeof createJudge>[0]["onExchange"]>;

export function judgeFrom(
  { cacheFolder, ...rest }: JudgeSettings,
  onExchange: Exchange,
  signal: AbortSignal | undefined,
): Judge {
  return createJudge({
    ...rest,
    cache: cacheFolder === undefined ? undefined : judgeCache(cacheFolder, systemClock.now),
    clock: systemClock,
    onExchange,
    ...(signal ? { signal } : {}),
  });
}

/** Only for a worker's standard input: keys are readable here. */
export function toWire(settings: CheckSettings): unknown {
  const { judge } = settings;
  if (!judge) return settings;
  const target = ({ baseUrl, key }: ProviderTarget) => ({ baseUrl, key: key?.reveal() });
  const providers = { anthropic: target(judge.providers.anthropic), openai: target(judge.providers.openai) };
  return {
    ...settings,
    judge: { ...judge, profiles: { tiers: judge.profiles.tiers, profiles: [...judge.profiles.profiles] }, providers },
  };
}

export function fromWire(wire: unknown): CheckSettings {
  const settings = wire as CheckSettings;
  if (!settings.judge) return settings;
  const target = ({ baseUrl, key }: { baseUrl: string; key?: unknown }) => ({
    baseUrl,
    key: typeof key === "string" ? new Secret(key) : undefined,
  });
  const { profiles, providers } = settings.judge as unknown as {
    profiles: { tiers: JudgeProfiles["tiers"]; profiles: Iterable<readonly [string, never]> };
    providers: { anthropic: { baseUrl: string }; openai: { baseUrl: string } };
  };
  return {
    ...settings,
    judge: {
      ...settings.judge,
      profiles: { tiers: profiles.tiers, profiles: new Map(profiles.profiles) },
      providers: { anthropic: target(providers.anthropic), openai: target(providers.openai) },
    },
  };
}
