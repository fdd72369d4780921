/**
 * Makes the providers that a suite names, and the models that its assertions need.
 *
 * - `createProviders(options)` its `provider(given)` the provider, or why there is none; `models` for assertions.
 * - Models of other companies are made by `modelProvider`, which the caller supplies.
 */
import { systemClock } from "@devflow/core/clock";
import {
  type Assertion,
  type Embedding,
  isMembers,
  type Models,
  splitReference,
  type TextCall,
} from "../assertions/index.ts";
import type { CodePool } from "../code/index.ts";
import { commandProvider, wordsOf } from "../providers/command.ts";
import { echoProvider } from "../providers/echo.ts";
import { embedder } from "../providers/embeddings.ts";
import { httpLacks, httpProvider } from "../providers/http.ts";
import { type ChatMessage, type Provider, ProviderFault } from "../providers/provider.ts";
import { type CallMethod, scriptMethods, scriptProvider } from "../providers/script.ts";
import { callLimiter, callWithRetries, promptLength, tokensAtMost } from "../runner/index.ts";
import { providerOf } from "./read-providers.ts";
import { SuiteFault, type SuiteProvider } from "./suite.ts";
import type { RememberAnswers } from "./suite-journal.ts";
import { isScriptProvider } from "./suite-problems.ts";

/** Makes a provider for `anthropic:…`, `openai:…` and the like; a text says why it cannot. `onHeaders` hears of every answer. */
export type ModelProvider = (
  id: string,
  config: Readonly<Record<string, unknown>>,
  onHeaders: (headers: Headers) => void,
) => Provider | string;

export interface ProviderFactoryOptions {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly code: CodePool;
  readonly signal: AbortSignal;
  readonly providers: readonly SuiteProvider[];
  readonly modelProvider: ModelProvider;
  /** Judges where an assertion and its test name no provider. */
  readonly judge?: Provider | undefined;
  /** Keeps the answers of a provider; an echo needs none. */
  readonly remember?: RememberAnswers | undefined;
  readonly fetch?: typeof fetch;
}

export interface ProviderFactory {
  provider(given: SuiteProvider): Provider | string;
  readonly models: Models;
  /** Why the assertion cannot be checked, without calling anything. */
  lack(assertion: Assertion, options: Readonly<Record<string, unknown>>, kind: ModelKind): string | undefined;
}

export type ModelKind = "text" | "embedding" | "classification" | "moderation";

const isEcho = (id: string): boolean => id === "echo" || id === "promptfoo:echo";
const usualEmbedding = "text-embedding-3-large";

export function createProviders(options: ProviderFactoryOptions): ProviderFactory {
  const { folder, env, code, signal, providers, modelProvider, fetch } = options;
  const known = new Map<string, Provider | string>();
  const common = { env, code, ...(fetch ? { fetch } : {}) };

  const make = (given: SuiteProvider): Provider | string => {
    const { id, config } = given;
    if (isEcho(id)) return echoProvider(id);
    if (id.startsWith("exec:")) {
      const cwd = typeof config.basePath === "string" ? config.basePath : folder;
      return commandProvider(wordsOf(id.slice(5)), { id, cwd, env, config });
    }
    if (isScriptProvider(id)) return scriptProvider(scriptAt(id).path, scriptOptions(given));
    const url = /^https?:\/\//.test(id)
      ? id
      : (id === "http" || id === "https") && typeof config.url === "string"
        ? config.url
        : undefined;
    if (url !== undefined) {
      const lack = httpLacks(config);
      return lack === undefined ? patient(httpProvider({ id, url, config, folder, ...common })) : `${id}: ${lack}`;
    }
    const limiter = callLimiter({ most: mostCalls, clock: systemClock });
    const made = modelProvider(id, config, limiter.learn);
    return typeof made === "string" ? made : patient(conversing(made), limiter);
  };
  const remembered = (made: Provider | string, { id, config }: SuiteProvider): Provider | string =>
    typeof made === "string" || isEcho(id) || !options.remember ? made : options.remember(made, config);
  const scriptAt = (id: string) => splitReference(id.replace(/^python:/, ""), folder);
  const scriptOptions = ({ id, config }: SuiteProvider) => ({ id, name: scriptAt(id).name, config, folder, env, code });

  const provider = (given: SuiteProvider): Provider | string => {
    const key = JSON.stringify([given.id, given.config]);
    const found = known.get(key) ?? remembered(make(given), given);
    known.set(key, found);
    return found;
  };

  /** The provider that an assertion, its test or the suite names for a kind of model. */
  const named = (
    assertion: Assertion,
    testOptions: Readonly<Record<string, unknown>>,
    kind: ModelKind,
  ): SuiteProvider | undefined => {
    for (const given of [assertion.provider, testOptions.provider]) {
      const own =
        isMembers(given) && kind in given
          ? given[kind]
          : isMembers(given) &&
              !("id" in given) &&
              ["text", "embedding", "classification", "moderation"].some((one) => one in given)
            ? undefined
            : given;
      if (own === undefined || own === null || own === "") continue;
      if (typeof own === "string") {
        const labelled = providers.find(({ id, label }) => label === own || id === own);
        if (labelled) return labelled;
      }
      return providerOf(own, env);
    }
    return undefined;
  };
  const methods = (given: SuiteProvider): CallMethod | undefined =>
    isScriptProvider(given.id) ? scriptMethods(scriptAt(given.id).path, scriptOptions(given)) : undefined;

  const embed = (given: SuiteProvider | undefined): Embedding | string => {
    const call = given && methods(given);
    if (call) return async (text) => embeddingOf(await call("callEmbeddingApi", [text], signal), given.id);
    const model = given ? /^openai:embeddings?:(.+)$/.exec(given.id)?.[1] : usualEmbedding;
    if (model === undefined) return `${given?.id} is not an embedding provider`;
    const base = typeof given?.config.apiBaseUrl === "string" ? given.config.apiBaseUrl : env.OPENAI_BASE_URL;
    if (!env.OPENAI_API_KEY && !base)
      return "no embedding provider is configured: set OPENAI_API_KEY, or give options.provider.embedding";
    return embedder(model, {
      baseUrl: base || "https://api.openai.com/v1",
      key: env.OPENAI_API_KEY,
      signal,
      ...(fetch ? { fetch } : {}),
    });
  };
  const judge = (given: SuiteProvider | undefined): Provider | string =>
    given
      ? provider(given)
      : (options.judge ?? "no judge is configured: run with --judge, or give the assertion a provider");
  const textCall = (
    given: SuiteProvider | undefined,
    method: "callClassificationApi" | "callModerationApi",
  ): TextCall | undefined => {
    const call = given && methods(given);
    return call && (async (...texts) => await call(method, texts, signal));
  };
  const orThrow = <T>(found: T | string): T => {
    if (typeof found === "string") throw new SuiteFault(found);
    return found;
  };
  return {
    provider,
    lack(assertion, testOptions, kind) {
      const given = named(assertion, testOptions, kind);
      const found = kind === "embedding" ? embed(given) : kind === "text" ? judge(given) : undefined;
      return typeof found === "string" ? found : undefined;
    },
    models: {
      judge: async (assertion, testOptions) => orThrow(judge(named(assertion, testOptions, "text"))),
      embed: async (assertion, testOptions) => orThrow(embed(named(assertion, testOptions, "embedding"))),
      classify: async (assertion, testOptions) =>
        textCall(named(assertion, testOptions, "classification"), "callClassificationApi"),
      moderate: async (assertion, testOptions) =>
        textCall(named(assertion, testOptions, "moderation"), "callModerationApi"),
    },
  };
}

function embeddingOf(answer: Readonly<Record<string, unknown>>, id: string): readonly number[] {
  if (answer.error) throw new ProviderFault("failed", `${id}: ${String(answer.error)}`);
  if (!Array.isArray(answer.embedding)) throw new ProviderFault("failed", `${id}: it gave no embedding`);
  return answer.embedding as number[];
}

/** The suite says how many calls run at once. */
const mostCalls = 1_000;

/** Waits for a provider that is busy, and asks again after faults that may pass; a few times, as promptfoo does. */
function patient(provider: Provider, limiter = callLimiter({ most: mostCalls, clock: systemClock })): Provider {
  const patience = { limiter, clock: systemClock, random: Math.random, attempts: 3 };
  return {
    ...provider,
    call: (request) =>
      callWithRetries(provider, request, { ...patience, tokens: tokensAtMost(promptLength(request.prompt)) }),
  };
}

/** Models get a prompt in JSON as the conversation that it is. */
function conversing(provider: Provider): Provider {
  return {
    ...provider,
    call: (request) =>
      provider.call({
        ...request,
        prompt: typeof request.prompt === "string" ? conversation(request.prompt) : request.prompt,
      }),
  };
}

function conversation(prompt: string): string | readonly ChatMessage[] {
  if (!/^\s*\[/.test(prompt)) return prompt;
  try {
    const found: unknown = JSON.parse(prompt);
    const isChat =
      Array.isArray(found) &&
      found.length > 0 &&
      found.every((one) => isMembers(one) && typeof one.role === "string" && typeof one.content === "string");
    return isChat ? (found as ChatMessage[]) : prompt;
  } catch {
    return prompt;
  }
}
