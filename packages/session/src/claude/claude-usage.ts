/**
 * Claude Code reports the usage of its whole process after each turn, by model. `usageSince` is what the turn added.
 */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadInputTokens: number;
  readonly cacheCreationInputTokens: number;
  readonly costUSD: number;
}
export type UsageByModel = Readonly<Record<string, ModelUsage>>;

export interface TurnUsage {
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly costUsd: number;
}

const none: ModelUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadInputTokens: 0,
  cacheCreationInputTokens: 0,
  costUSD: 0,
};

export function usageSince(before: UsageByModel, now: UsageByModel): TurnUsage[] {
  return Object.entries(now).flatMap(([model, total]) => {
    const earlier = before[model] ?? none;
    const used: TurnUsage = {
      model,
      inputTokens: total.inputTokens - earlier.inputTokens,
      outputTokens: total.outputTokens - earlier.outputTokens,
      cacheReadTokens: total.cacheReadInputTokens - earlier.cacheReadInputTokens,
      cacheWriteTokens: total.cacheCreationInputTokens - earlier.cacheCreationInputTokens,
      costUsd: total.costUSD - earlier.costUSD,
    };
    const isNothing = used.inputTokens + used.outputTokens + used.cacheReadTokens + used.cacheWriteTokens === 0;
    return isNothing ? [] : [used];
  });
}
