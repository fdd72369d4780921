/**
 * What a turn used, from what an agent reports; see `UsageReport` for the ways.
 *
 * - `usageMeter(report)` one per process of the agent. `heard` takes each update, `turn` the answer to a prompt.
 *
 * Some agents count cached tokens as input and some do not: `totalTokens` tells which.
 */
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { UsageReport } from "./profiles/index.ts";

export interface TurnUsage {
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly costUsd: number | null;
}

/** As agents write it; members may be absent. */
interface Reported {
  readonly totalTokens?: number | null;
  readonly inputTokens?: number | null;
  readonly outputTokens?: number | null;
  readonly cachedReadTokens?: number | null;
  readonly cachedWriteTokens?: number | null;
}

interface Quota {
  readonly token_count?: Readonly<Record<string, number>> | null;
  readonly model_usage?: readonly {
    readonly model?: string;
    readonly token_count?: Readonly<Record<string, number>>;
  }[];
}

export interface UsageMeter {
  heard(update: SessionUpdate): void;
  /** `fallbackModel` names the model when the agent does not. */
  turn(answer: object, fallbackModel: string): TurnUsage[];
}

type Counts = Pick<TurnUsage, "inputTokens" | "outputTokens" | "cacheReadTokens" | "cacheWriteTokens">;
const none: Counts = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

export function usageMeter(report: UsageReport): UsageMeter {
  let ofProcess = none;
  let chunks = none;
  let cost: number | undefined;
  let paid = 0;

  return {
    heard(update) {
      // Dollars only: another currency would be taken for them.
      if (update.sessionUpdate === "usage_update" && update.cost?.currency === "USD") cost = update.cost.amount;
      if (report !== "chunks" || update.sessionUpdate !== "agent_message_chunk") return;
      const used = update._meta?.usage as Reported | undefined;
      if (used) chunks = plus(chunks, counts(used));
    },
    turn(answer, fallbackModel) {
      const { usage, _meta } = answer as { usage?: Reported | null; _meta?: { quota?: Quota } | null };
      const costUsd = cost === undefined ? null : Math.max(0, cost - paid);
      paid = cost ?? paid;
      if (report === "quota") return quotaUsage(_meta?.quota ?? {}, fallbackModel);
      const said = counts(usage ?? {});
      let used = said;
      if (report === "chunks") used = chunks;
      if (report === "process") used = plus(said, ofProcess, -1);
      if (report === "process") ofProcess = said;
      chunks = none;
      return isNothing(used) ? [] : [{ model: fallbackModel, ...used, costUsd }];
    },
  };
}

function counts(reported: Reported): Counts {
  const input = reported.inputTokens ?? 0;
  const output = reported.outputTokens ?? 0;
  const cached = (reported.cachedReadTokens ?? 0) + (reported.cachedWriteTokens ?? 0);
  const isCachedApart = (reported.totalTokens ?? 0) >= input + output + cached;
  return {
    inputTokens: isCachedApart ? input : Math.max(0, input - cached),
    outputTokens: output,
    cacheReadTokens: reported.cachedReadTokens ?? 0,
    cacheWriteTokens: reported.cachedWriteTokens ?? 0,
  };
}

function quotaUsage({ token_count, model_usage = [] }: Quota, fallbackModel: string): TurnUsage[] {
  const listed = model_usage.length > 0 ? model_usage : [{ token_count: token_count ?? {} }];
  return listed.flatMap(
    ({ model = fallbackModel, token_count: tokens = {} }: NonNullable<Quota["model_usage"]>[number]) => {
      const used = { ...none, inputTokens: tokens.input_tokens ?? 0, outputTokens: tokens.output_tokens ?? 0 };
      return isNothing(used) ? [] : [{ model, ...used, costUsd: null }];
    },
  );
}

const plus = (a: Counts, b: Counts, sign = 1): Counts => ({
  inputTokens: a.inputTokens + sign * b.inputTokens,
  outputTokens: a.outputTokens + sign * b.outputTokens,
  cacheReadTokens: a.cacheReadTokens + sign * b.cacheReadTokens,
  cacheWriteTokens: a.cacheWriteTokens + sign * b.cacheWriteTokens,
});

const isNothing = (used: Counts): boolean => Object.values(used).every((count) => count === 0);
