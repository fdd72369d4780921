/**
 * Runs a promptfoo suite.
 *
 * - `runSuite(suite, options)` yields its results in order. Whatever goes wrong with one call is the ERROR of its result.
 * - `suiteLacks(suite, factory)` what the suite needs and is not configured; known without calling anything.
 *
 * As many calls run at once as the suite allows; one at a time where a call depends on earlier ones (`_conversation`,
 * `storeOutputAs`).
 */
import { setTimeout as pause } from "node:timers/promises";
import {
  type AnsweredWith,
  type Assertion,
  type AssertionTools,
  callFile,
  checkAssertions,
  type Grade,
  isMembers,
  needsOf,
  selectBest,
  selectMaxScore,
  splitReference,
  type Trace,
  transformed,
} from "../assertions/index.ts";
import { type Provider, type ProviderAnswer, ProviderFault } from "../providers/provider.ts";
import { NoOutput } from "../providers/script.ts";
import type { PlannedCall, SuitePlan } from "./plan-suite.ts";
import type { ProviderFactory } from "./provider-factory.ts";
import { providerOf } from "./read-providers.ts";
import { renderSuitePrompt } from "./render-prompt.ts";
import type { PromptfooSuite, SuiteTest } from "./suite.ts";
import { failureReasons, type SuiteResult, withComparison } from "./suite-result.ts";

export interface RunSuiteOptions {
  readonly plan: SuitePlan;
  readonly factory: ProviderFactory;
  readonly tools: AssertionTools;
  readonly concurrency?: number | undefined;
}

export function suiteLacks(suite: PromptfooSuite, factory: ProviderFactory): string[] {
  const lacks = new Set<string>();
  for (const provider of suite.providers) {
    const made = factory.provider(provider);
    if (typeof made === "string") lacks.add(made);
  }
  const visit = (assertion: Assertion, test: SuiteTest): void => {
    for (const one of assertion.assert ?? []) visit(one, test);
    for (const [need, kind] of [
      ["judge", "text"],
      ["embedding", "embedding"],
    ] as const) {
      const lack = needsOf(assertion.type).includes(need) ? factory.lack(assertion, test.options, kind) : undefined;
      if (lack !== undefined) lacks.add(`${assertion.type}: ${lack}`);
    }
  };
  for (const test of suite.tests) for (const assertion of test.assert) visit(assertion, test);
  return [...lacks];
}

export async function* runSuite(suite: PromptfooSuite, options: RunSuiteOptions): AsyncGenerator<SuiteResult> {
  const run = new SuiteRun(suite, options);
  const concurrency = run.isSerial ? 1 : (options.concurrency ?? suite.maxConcurrency);
  let row: SuiteResult[] = [];
  for await (const { result, call } of inOrder(options.plan.calls(), concurrency, (one) => run.perform(one))) {
    row.push(result);
    if (!call.endsRow) continue;
    yield* await run.compared(row, call.test);
    row = [];
  }
}

/** Runs up to `width` at once and yields in the order of the calls; never further ahead than `width`. */
async function* inOrder<C, R>(
  calls: Iterable<C>,
  width: number,
  perform: (call: C) => Promise<R>,
): AsyncGenerator<{ call: C; result: R }> {
  const running: Promise<{ call: C; result: R }>[] = [];
  for (const call of calls) {
    const started = perform(call).then((result) => ({ call, result }));
    // Awaited below; if another call ends the run first, nobody does.
    started.catch(() => undefined);
    running.push(started);
    if (running.length >= width) yield (await running.shift()) as { call: C; result: R };
  }
  for (const one of running) yield await one;
}

class SuiteRun {
  private readonly suite: PromptfooSuite;
  private readonly options: RunSuiteOptions;
  private readonly conversations = new Map<string, { prompt: unknown; input: unknown; output: unknown }[]>();
  private readonly registers: Record<string, unknown> = {};
  readonly isSerial: boolean;

  constructor(suite: PromptfooSuite, options: RunSuiteOptions) {
    this.suite = suite;
    this.options = options;
    const remembers = suite.prompts.some(({ raw }) => raw.includes("_conversation"));
    this.isSerial = remembers || suite.tests.some(({ options: own }) => typeof own.storeOutputAs === "string");
  }

  async perform(call: PlannedCall): Promise<SuiteResult> {
    const { tools } = this.options;
    tools.signal.throwIfAborted();
    const partial: Partial<SuiteResult> = {};
    try {
      return await this.attempt(call, partial);
    } catch (error) {
      tools.signal.throwIfAborted();
      const message = error instanceof Error ? error.message : String(error);
      // As in promptfoo, an answer without an output is a failure.
      if (error instanceof NoOutput)
        return { ...this.blank(call), ...partial, error: message, response: { output: null } };
      return {
        ...this.blank(call),
        ...partial,
        error: message,
        failureReason: failureReasons.error,
        success: false,
        score: 0,
      };
    }
  }

  private blank({ testIdx, repeat, column, test, vars }: PlannedCall): SuiteResult {
    const { promptIdx, prompt, promptId, provider } = column;
    const { description, assert, options, metadata, threshold } = test;
    return {
      id: `${testIdx}-${promptIdx}-${repeat}`,
      testIdx,
      promptIdx,
      promptId,
      provider: { id: provider.id, label: provider.label ?? "" },
      prompt: { raw: prompt.raw, label: prompt.label },
      vars,
      testCase: {
        ...(description === undefined ? {} : { description }),
        vars,
        assert,
        options,
        metadata,
        ...(threshold === undefined ? {} : { threshold }),
      },
      response: {},
      success: false,
      failureReason: failureReasons.none,
      score: 0,
      namedScores: {},
      latencyMs: 0,
      cost: 0,
      gradingResult: null,
      tokenUsage: {},
      metadata,
    };
  }

  private async attempt(
    call: PlannedCall,
    partial: { -readonly [K in keyof SuiteResult]?: SuiteResult[K] },
  ): Promise<SuiteResult> {
    const { column, test } = call;
    const { tools } = this.options;
    const given = await this.variables(call);
    const { prefix, suffix } = test.options;
    const raw = `${typeof prefix === "string" ? prefix : ""}${column.prompt.raw}${typeof suffix === "string" ? suffix : ""}`;
    const provider = this.providerFor(call);
    const about = { tools, provider: { id: provider.id, label: column.provider.label } };
    const { text, vars } = await renderSuitePrompt({ ...column.prompt, raw }, given, about);
    partial.prompt = { raw: text, label: column.prompt.label };
    partial.vars = vars;
    const answer = await this.answerOf(call, provider, text, vars);
    this.remember(call, text, answer.output);
    const { answered, response, metadata } = read(answer, call);
    Object.assign(partial, {
      response,
      metadata,
      latencyMs: answer.latencyMs,
      cost: answer.costUsd ?? 0,
      tokenUsage: usageOf(answer),
    });
    const { output, untransformed } = await this.transformedOutput(answer.output, call, vars, answered);
    partial.response = { ...response, output };
    const grade = await checkAssertions(
      test.assert,
      {
        output,
        answered: { ...answered, untransformed },
        prompt: text,
        vars,
        test: { ...test, vars },
        options: test.options,
      },
      tools,
      { threshold: test.threshold, score: this.scoring(test) },
    );
    if (typeof test.options.storeOutputAs === "string" && output) this.registers[test.options.storeOutputAs] = output;
    return { ...this.blank(call), ...partial, ...verdictOf(grade) };
  }

  private async variables({ test, vars, column }: PlannedCall): Promise<Record<string, unknown>> {
    const { transformVars } = test.options;
    const changed = transformVars
      ? await transformed(transformVars, vars, { prompt: {} }, this.options.tools, "vars")
      : {};
    const all = { ...vars, ...(isMembers(changed) ? changed : {}), ...this.registers };
    const remembers = column.prompt.raw.includes("_conversation") && test.options.disableConversationVar !== true;
    return remembers ? { ...all, _conversation: this.conversations.get(conversationKey(column, test)) ?? [] } : all;
  }

  private remember({ column, test }: PlannedCall, prompt: string, output: unknown): void {
    const key = conversationKey(column, test);
    const before = this.conversations.get(key) ?? [];
    let json: unknown;
    try {
      json = JSON.parse(prompt);
    } catch {
      json = undefined;
    }
    const last = Array.isArray(json) ? (json.at(-1) as unknown) : undefined;
    const input = isMembers(last) && "content" in last ? last.content : prompt;
    if (this.isSerial) this.conversations.set(key, [...before, { prompt: json ?? prompt, input, output }]);
  }

  private providerFor({ column, test }: PlannedCall): Provider {
    const { factory } = this.options;
    const own = test.provider ? providerOf(test.provider, this.suite.env) : undefined;
    const known = own && this.suite.providers.find(({ id, label }) => label === own.id || id === own.id);
    const made = factory.provider(known ?? own ?? column.provider);
    if (typeof made === "string") throw new ProviderFault("misconfigured", made);
    return made;
  }

  private async answerOf(
    { column, test }: PlannedCall,
    provider: Provider,
    prompt: string,
    vars: Readonly<Record<string, unknown>>,
  ): Promise<ProviderAnswer> {
    const { providerOutput } = test;
    if (providerOutput !== undefined) return { output: providerOutput as string | object, latencyMs: 0 };
    const { signal } = this.options.tools;
    const delayMs = column.provider.delayMs || this.suite.delayMs;
    if (delayMs > 0) await pause(delayMs, undefined, { signal });
    return await provider.call({ prompt, vars, signal });
  }

  private async transformedOutput(
    given: unknown,
    { column, test }: PlannedCall,
    vars: Readonly<Record<string, unknown>>,
    answered: AnsweredWith,
  ) {
    const { tools } = this.options;
    const prompt = { raw: column.prompt.raw, label: column.prompt.label };
    let output = given;
    if (column.provider.transform)
      output = await transformed(column.provider.transform, output, { vars, prompt }, tools);
    const untransformed = output;
    const own = test.options.transform ?? test.options.postprocess;
    if (own)
      output = await transformed(
        own,
        output,
        { vars, prompt, ...(answered.metadata ? { metadata: answered.metadata } : {}) },
        tools,
      );
    return { output, untransformed };
  }

  private scoring({ assertScoringFunction: given }: SuiteTest) {
    if (typeof given !== "string") return undefined;
    const { tools } = this.options;
    const at = splitReference(given, tools.folder);
    return async (scores: Readonly<Record<string, number>>, context: object): Promise<unknown> =>
      (await callFile(at, "get_score", tools, [scores, context]))?.value;
  }

  /** Applies the assertions that compare the outputs of one row. */
  async compared(row: readonly SuiteResult[], test: SuiteTest): Promise<SuiteResult[]> {
    let results = [...row];
    for (const type of ["select-best", "max-score"] as const) {
      const assertion = test.assert.find((one) => one.type === type);
      if (!assertion) continue;
      try {
        const grades = await this.comparedBy(assertion, results);
        results = results.map((result, index) => withComparison(result, grades[index] as Grade, type === "max-score"));
      } catch (error) {
        this.options.tools.signal.throwIfAborted();
        const message = `${type}: ${(error as Error).message}`;
        results = results.map((result) => ({
          ...result,
          success: false,
          score: 0,
          error: message,
          failureReason: failureReasons.error,
        }));
      }
    }
    return results;
  }

  private async comparedBy(assertion: Assertion, results: readonly SuiteResult[]): Promise<Grade[]> {
    if (assertion.type === "max-score")
      return selectMaxScore(
        assertion,
        results.map(({ gradingResult }) => gradingResult ?? undefined),
      );
    const [first] = results as [SuiteResult];
    const outputs = results.map(({ response }) => response.output ?? "");
    const { vars, prompt, testCase } = first;
    const input = {
      output: outputs[0],
      answered: {},
      prompt: prompt.raw,
      vars,
      test: testCase,
      options: testCase.options,
    };
    return await selectBest(assertion, outputs, input, this.options.tools);
  }
}

const conversationKey = ({ promptIdx }: PlannedCall["column"], { metadata }: SuiteTest): string =>
  JSON.stringify([promptIdx, metadata.conversationId ?? null]);

function verdictOf(
  grade: Grade,
): Pick<SuiteResult, "success" | "score" | "failureReason" | "namedScores" | "gradingResult" | "error"> {
  return {
    success: grade.pass,
    score: grade.score,
    failureReason: grade.pass ? failureReasons.none : failureReasons.assertion,
    namedScores: grade.namedScores ?? {},
    gradingResult: grade,
    ...(grade.pass ? {} : { error: grade.reason }),
  };
}

function usageOf({ tokens }: ProviderAnswer): Record<string, unknown> {
  if (!tokens) return {};
  const { input, output, cacheRead, cacheWrite } = tokens;
  const details = { cacheReadInputTokens: cacheRead, cacheCreationInputTokens: cacheWrite };
  return {
    prompt: input,
    completion: output,
    cached: 0,
    total: input + output,
    numRequests: 1,
    completionDetails: details,
  };
}

/** What a provider said besides its output, for assertions and for the file. */
function read(answer: ProviderAnswer, { column, test }: PlannedCall) {
  const raw = isMembers(answer.raw) ? answer.raw : {};
  const metadata = isMembers(raw.metadata) ? raw.metadata : undefined;
  const found = raw.trace ?? metadata?.trace;
  const trace = isMembers(found) && Array.isArray(found.spans) ? (found as unknown as Trace) : undefined;
  const answered: AnsweredWith = {
    cost: answer.costUsd,
    latencyMs: answer.latencyMs,
    logProbs: Array.isArray(raw.logProbs) ? (raw.logProbs as number[]) : undefined,
    finishReason: answer.finishReason,
    metadata,
    guardrails: isMembers(raw.guardrails) ? raw.guardrails : undefined,
    trace,
    providerConfig: column.provider.config,
  };
  const response = {
    output: answer.output,
    ...(answer.tokens ? { tokenUsage: usageOf(answer) } : {}),
    ...(answer.costUsd === undefined ? {} : { cost: answer.costUsd }),
    ...(answer.finishReason === undefined ? {} : { finishReason: answer.finishReason }),
    ...(raw.cached === true ? { cached: true } : {}),
  };
  return { answered, response, metadata: { ...test.metadata, ...metadata } };
}
