/**
 * Calls judges.
 *
 * - `createJudge(options)` → `judge.ask(question, output, case)` gives the scores of one expectation, with every vote.
 * - A vote must follow a strict schema. An invalid one is sent back once; after that, it is an ERROR.
 */

import { canonicalize } from "@devflow/core/canonical-json";
import type { Clock } from "@devflow/core/clock";
import { nearest } from "@devflow/core/nearest";
import { type CheckedCase, type Judgement, type JudgeQuestion, textKeys } from "../expectations/index.ts";
import { type ModelTier, tierOf, usualModels } from "../model-tiers.ts";
import type { JudgeIdentity, ModelUsage } from "../results/result.ts";
import { callModel, JudgeFailure } from "./call-model.ts";
import { countVotes } from "./count-votes.ts";
import type { JudgeCache } from "./judge-cache.ts";
import { type JudgeProfile, type JudgeProfiles, type ProviderName, rubricSha } from "./judge-profile.ts";
import { type JudgeCriterion, type JudgePrompt, judgePrompt, readScores } from "./judge-prompt.ts";
import type { ProviderTarget, Turn } from "./providers.ts";

export interface JudgeOptions {
  readonly profiles: JudgeProfiles;
  /** EVAL_JUDGE_TIER: the model if a profile names none. */
  readonly tier: ModelTier;
  /** In a full run, judges for full runs vote too. */
  readonly isFullRun: boolean;
  readonly providers: { readonly anthropic: ProviderTarget; readonly openai: ProviderTarget };
  /** Undefined: no cache. */
  readonly cache?: JudgeCache | undefined;
  readonly clock: Clock;
  readonly fetch?: typeof fetch;
  /** Maximum number of attempts per request. */
  readonly attempts?: number;
  /** Gets each prompt and answer in full, without keys. */
  readonly onExchange?: (exchange: JudgeExchange) => void;
  readonly signal?: AbortSignal;
}

export interface JudgeExchange {
  readonly model: string;
  readonly profile: string;
  readonly system: string;
  readonly turns: readonly Turn[];
  readonly answer: string;
}

export interface JudgeVote {
  readonly model: string;
  readonly scores: Readonly<Record<string, number>>;
  readonly reasons: Readonly<Record<string, string>>;
  readonly cached: boolean;
}

export interface JudgedExpectation extends Judgement {
  readonly votes: readonly JudgeVote[];
  readonly usage: readonly ModelUsage[];
  readonly identities: readonly JudgeIdentity[];
}

export interface Judge {
  readonly profileNames: readonly string[];
  ask(question: JudgeQuestion, output: unknown, given: CheckedCase): Promise<JudgedExpectation>;
}

interface Seat {
  readonly model: string;
  readonly provider: ProviderName;
  readonly vote: number;
}

export function createJudge(options: JudgeOptions): Judge {
  const { profiles } = options.profiles;
  const profileNames = [...profiles.keys()];
  return {
    profileNames,
    async ask(question, output, given) {
      const profile = profiles.get(question.profile);
      if (!profile) {
        const meant = nearest(question.profile, profileNames);
        return failed(`unknown judge profile "${question.profile}"${meant ? `; did you mean ${meant}?` : ""}`);
      }
      const criteria = criteriaOf(question, profile);
      if (criteria.length === 0)
        return failed(`the judge profile "${profile.name}" has no criteria, and neither has the case`);
      const parts = materialOf(question, profile, output, given);
      if ("lacks" in parts) {
        if (parts.lacks.startsWith("input"))
          return failed(`the judge profile "${profile.name}" reads ${parts.lacks}, which the case does not have`);
        return { ...noScores, lacks: parts.lacks };
      }
      const sha = rubricSha(profile, criteria);
      const prompt = judgePrompt(profile.rubric, criteria, profile.scale, parts);
      const seats = seatsOf(profile, options);
      const thresholds = Object.fromEntries(criteria.map(({ name, threshold }) => [name, threshold]));
      const lowest = Math.min(...Object.values(thresholds));
      const identities = [...new Set(seats.map(({ model }) => model))].map((model) => ({
        model,
        rubricSha: sha,
        threshold: lowest,
      }));
      const usage: ModelUsage[] = [];
      const results = await Promise.allSettled(
        seats.map((seat) => askOne(seat, prompt, criteria, sha, profile, options, usage)),
      );
      const votes = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
      const refused = results.find((result) => result.status === "rejected");
      const details = { votes, profile: profile.name, vote: profile.vote };
      if (refused) {
        if (!(refused.reason instanceof JudgeFailure)) throw refused.reason;
        return { ...failed(refused.reason.message), votes, usage, identities, details };
      }
      return {
        scores: countVotes(
          profile.vote,
          votes.map(({ scores }) => scores),
        ),
        thresholds,
        weights: Object.fromEntries(criteria.map(({ name, weight }) => [name, weight])),
        votes,
        usage,
        identities,
        details,
      };
    },
  };
}

const noScores: JudgedExpectation = { scores: {}, thresholds: {}, votes: [], usage: [], identities: [] };

function failed(error: string): JudgedExpectation {
  return { ...noScores, error };
}

interface FullCriterion extends JudgeCriterion {
  readonly threshold: number;
  readonly weight: number;
}

/** The case's criteria, completed from the profile; or else the profile's criteria. */
function criteriaOf({ criteria, threshold, descriptions = {} }: JudgeQuestion, profile: JudgeProfile): FullCriterion[] {
  const named =
    Object.keys(criteria).length > 0
      ? Object.entries(criteria)
      : Object.keys(profile.criteria).map((name) => [name, null] as const);
  return named.map(([name, own]) => {
    const known = Object.hasOwn(profile.criteria, name) ? profile.criteria[name] : undefined;
    return {
      name,
      description: (Object.hasOwn(descriptions, name) ? descriptions[name] : undefined) ?? known?.description,
      threshold: own ?? known?.threshold ?? threshold,
      weight: known?.weight ?? 1,
    };
  });
}

function materialOf(
  question: JudgeQuestion,
  profile: JudgeProfile,
  output: unknown,
  given: CheckedCase,
): { title: string; text: string }[] | { lacks: string } {
  if (question.content) return [question.content];
  const members: Record<string, unknown> =
    typeof output === "string" ? { response: output, body: output } : ((output ?? {}) as Record<string, unknown>);
  const parts: { title: string; text: string }[] = [];
  for (const path of profile.reads) {
    const key = textKeys.find((one) => members[one] !== undefined && members[one] !== null);
    const [source, ...steps] = path.split(".");
    const value =
      path === "text"
        ? key
          ? members[key]
          : undefined
        : steps.reduce<unknown>(
            (at, step) => (at as Record<string, unknown> | undefined)?.[step],
            source === "input" ? given.input : members,
          );
    if (value === undefined || value === null) return { lacks: path };
    parts.push({ title: path, text: typeof value === "string" ? value : safeJson(value) });
  }
  return parts;
}

function safeJson(value: unknown): string {
  try {
    return canonicalize(value);
  } catch {
    return JSON.stringify(value) ?? "null";
  }
}

function seatsOf(profile: JudgeProfile, { tier, isFullRun, profiles }: JudgeOptions): Seat[] {
  const given = profile.judges ?? [{ model: profile.model, provider: profile.provider, votes: 1, tier: undefined }];
  const joining = given.filter((one) => one.tier === undefined || isFullRun);
  const seats = joining.length > 0 ? joining : given.slice(0, 1);
  return seats.flatMap((one) => {
    const named = one.model === undefined ? tier : tierOf(one.model);
    const model = named ? (profiles.tiers[named] ?? usualModels[named]) : (one.model ?? "");
    const provider =
      one.provider ?? profile.provider ?? (/^(?:anthropic[/.])?claude/.test(model) ? "anthropic" : "openai");
    return Array.from({ length: one.votes }, (_, vote) => ({ model, provider, vote }));
  });
}

async function askOne(
  { model, provider, vote }: Seat,
  prompt: JudgePrompt,
  criteria: readonly JudgeCriterion[],
  sha: string,
  profile: JudgeProfile,
  options: JudgeOptions,
  usage: ModelUsage[],
): Promise<JudgeVote> {
  const key = { provider, model, rubricSha: sha, content: prompt.user, temperature: profile.temperature ?? null, vote };
  const known = await options.cache?.read(key);
  if (known && criteria.every(({ name }) => Object.hasOwn(known.scores, name)))
    return { model, ...known, cached: true };
  const target = provider === "anthropic" ? options.providers.anthropic : options.providers.openai;
  const turns: Turn[] = [{ role: "user", text: prompt.user }];
  const own: ModelUsage[] = [];
  let fault = "";
  for (let round = 0; round < 2; round += 1) {
    const ask = {
      model,
      system: prompt.system,
      turns,
      schema: prompt.schema,
      maxTokens: profile.max_tokens,
      temperature: profile.temperature,
    };
    const answer = await callModel(provider, target, ask, {
      fetch: options.fetch ?? fetch,
      clock: options.clock,
      timeoutMs: profile.timeout_ms,
      attempts: options.attempts ?? 4,
      signal: options.signal,
    });
    own.push({ model, ...answer.usage, costUsd: null });
    usage.push(...own.slice(-1));
    options.onExchange?.({
      model,
      profile: profile.name,
      system: prompt.system,
      turns: [...turns],
      answer: answer.text,
    });
    const read = readScores(answer.json, criteria, profile.scale);
    if (!("fault" in read)) {
      await options.cache?.write(key, read, own);
      return { model, ...read, cached: false };
    }
    fault = read.fault;
    const repair = `That cannot be used: ${fault}. Answer again with every criterion, each with reasoning and a score from ${profile.scale.min} to ${profile.scale.max}.`;
    turns.push({ role: "assistant", text: answer.text || "(nothing)" }, { role: "user", text: repair });
  }
  throw new JudgeFailure(`the judge ${model} gave no usable scores in two attempts: ${fault}`);
}
