/** Codex reports the usage of a whole thread after each request to its model. `turnUsage` is what one turn added. */
export interface TokenCount {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteInputTokens?: number;
  readonly outputTokens: number;
}

export interface ThreadUsage {
  readonly total: TokenCount;
  /** Of the newest request. */
  readonly last: TokenCount;
}

export interface TurnUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

/** What had been used before the request that `usage` reports first. */
export function usedBefore({ total, last }: ThreadUsage): TokenCount {
  return {
    inputTokens: total.inputTokens - last.inputTokens,
    cachedInputTokens: total.cachedInputTokens - last.cachedInputTokens,
    cacheWriteInputTokens: (total.cacheWriteInputTokens ?? 0) - (last.cacheWriteInputTokens ?? 0),
    outputTokens: total.outputTokens - last.outputTokens,
  };
}

/** Undefined for a turn without requests. Codex counts cached tokens among the input. */
export function turnUsage(before: TokenCount, now: TokenCount): TurnUsage | undefined {
  const cacheReadTokens = now.cachedInputTokens - before.cachedInputTokens;
  const cacheWriteTokens = (now.cacheWriteInputTokens ?? 0) - (before.cacheWriteInputTokens ?? 0);
  const input = now.inputTokens - before.inputTokens;
  const outputTokens = now.outputTokens - before.outputTokens;
  if (input + outputTokens <= 0) return undefined;
  return {
    inputTokens: Math.max(0, input - cacheReadTokens - cacheWriteTokens),
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens,
  };
}
