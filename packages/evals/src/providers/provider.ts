/**
 * Something that answers prompts: a model, an HTTP endpoint, a command, a script, or the prompt itself (echo).
 *
 * - `Provider.call(request)` one attempt, without retries; rejects only with a `ProviderFault`, or with the signal's reason.
 * - `ProviderFault` why there is no answer, and what its caller may do about it.
 */
export interface ChatMessage {
  readonly role: "system" | "developer" | "user" | "assistant" | "tool";
  readonly content: string;
}

export interface ProviderRequest {
  /** The rendered prompt. */
  readonly prompt: string | readonly ChatMessage[];
  /** The variables that the prompt was rendered with. */
  readonly vars: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

export interface ProviderTokens {
  /** Without cache tokens. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export interface ProviderAnswer {
  readonly output: string | object;
  /** Undefined: the provider does not count tokens. */
  readonly tokens?: ProviderTokens | undefined;
  /** As the provider reports it. Undefined: the tokens are priced by the caller. */
  readonly costUsd?: number | undefined;
  /** Of this attempt. */
  readonly latencyMs: number;
  /** Why the model stopped, in its provider's words. */
  readonly finishReason?: string | undefined;
  /** Whatever else the provider reports about the answer, such as metadata. */
  readonly raw?: unknown;
}

export interface Provider {
  /** As in a suite: `anthropic:claude-sonnet-4-5`, `exec:python app.py`, `echo`. */
  readonly id: string;
  /** The model whose price applies; undefined if it is not a model. */
  readonly model?: string | undefined;
  call(request: ProviderRequest): Promise<ProviderAnswer>;
}

/**
 * - `rate_limited` wait, at least `retryAfterMs` if it is known, and call again.
 * - `failed` the attempt failed; `isTransient` tells whether another one may succeed.
 * - `refused` the model or its provider declined to answer this prompt; another attempt is not expected to help.
 * - `misconfigured` nothing can be asked: no key, an unknown model, a program that cannot be started.
 */
export const providerFaultKinds = ["rate_limited", "failed", "refused", "misconfigured"] as const;
export type ProviderFaultKind = (typeof providerFaultKinds)[number];

export interface FaultFacts {
  readonly retryAfterMs?: number | undefined;
  readonly isTransient?: boolean | undefined;
  /** What the failed attempt still cost. */
  readonly tokens?: ProviderTokens | undefined;
  readonly cause?: unknown;
}

export class ProviderFault extends Error {
  override readonly name = "ProviderFault";
  readonly kind: ProviderFaultKind;
  readonly retryAfterMs: number | undefined;
  readonly isTransient: boolean;
  readonly tokens: ProviderTokens | undefined;

  constructor(kind: ProviderFaultKind, message: string, facts: FaultFacts = {}) {
    super(message, facts.cause === undefined ? {} : { cause: facts.cause });
    this.kind = kind;
    this.retryAfterMs = facts.retryAfterMs;
    this.isTransient = facts.isTransient ?? kind === "rate_limited";
    this.tokens = facts.tokens;
  }
}
