/**
 * `judgeProvider(settings, signal)` the configured judge as a provider: it answers any prompt with text. Suites of other tools use
 * it for assertions that name no provider of their own.
 */
import { systemClock } from "@devflow/core/clock";
import { type ModelTier, usualModels } from "../model-tiers.ts";
import { type Provider, ProviderFault } from "../providers/provider.ts";
import { callModel, JudgeFailure } from "./call-model.ts";
import type { JudgeProfiles } from "./judge-profile.ts";
import type { ProviderTarget } from "./providers.ts";

export interface JudgeProviderSettings {
  readonly profiles: JudgeProfiles;
  readonly tier: ModelTier;
  readonly providers: { readonly anthropic: ProviderTarget; readonly openai: ProviderTarget };
}

const schema = {
  type: "object",
  properties: {
    answer: { type: "string", description: "Your whole answer, exactly in the format that was asked for" },
  },
  required: ["answer"],
  additionalProperties: false,
};
const system =
  "You judge the output of another program. Follow the request. Put your whole answer into the field answer.";

export function judgeProvider({ profiles, tier, providers }: JudgeProviderSettings, signal?: AbortSignal): Provider {
  const profile = profiles.profiles.get("default");
  const model = profile?.model ?? profiles.tiers[tier] ?? usualModels[tier];
  const name = profile?.provider ?? (/^(?:anthropic[/.])?claude/.test(model) ? "anthropic" : "openai");
  return {
    id: `judge:${model}`,
    model,
    async call(request) {
      const began = performance.now();
      const text = typeof request.prompt === "string" ? request.prompt : JSON.stringify(request.prompt);
      const ask = {
        ...{ model, system, schema, turns: [{ role: "user" as const, text }] },
        maxTokens: profile?.max_tokens ?? 2_000,
        temperature: profile?.temperature,
      };
      try {
        const answer = await callModel(name, name === "anthropic" ? providers.anthropic : providers.openai, ask, {
          fetch,
          clock: systemClock,
          timeoutMs: profile?.timeout_ms ?? 60_000,
          attempts: 4,
          signal: signal ?? request.signal,
        });
        const {
          inputTokens: input,
          outputTokens: output,
          cacheReadTokens: cacheRead,
          cacheWriteTokens: cacheWrite,
        } = answer.usage;
        const found = (answer.json as { answer?: unknown } | undefined)?.answer;
        return {
          output: typeof found === "string" ? found : answer.text,
          tokens: { input, output, cacheRead, cacheWrite },
          latencyMs: Math.round(performance.now() - began),
        };
      } catch (error) {
        if (error instanceof JudgeFailure) throw new ProviderFault("failed", error.message, { cause: error });
        throw error;
      }
    },
  };
}
