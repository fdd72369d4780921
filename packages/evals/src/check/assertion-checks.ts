/**
 * Checks promptfoo's assertion types in Devflow's own cases.
 *
 * - `openAssertionChecks(settings)` its `check(expectation, output, case)` the outcome; it starts processes only for code.
 *
 * The output is the answer's text if the output has one, else the whole output. The case's input are the variables.
 */
import type { Assertion, Grade } from "../assertions/index.ts";
import { checkAssertion, checkAssertions, type Trace } from "../assertions/index.ts";
import type { EvalCase } from "../cases/index.ts";
import { openCodePool } from "../code/index.ts";
import { type Expectation, type Outcome, textKeys } from "../expectations/index.ts";
import { createProviders } from "../promptfoo/index.ts";
import type { Provider } from "../providers/provider.ts";
import { type CaseOutput, isMembers } from "./case-output.ts";

export interface AssertionSettings {
  /** Starts a process that runs code. */
  readonly codeCommand: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface AssertionChecks {
  check(expectation: Expectation, output: CaseOutput, given: EvalCase): Promise<Outcome>;
  close(): Promise<void>;
}

export function openAssertionChecks(
  { codeCommand, folder, env }: AssertionSettings,
  { judge, signal = new AbortController().signal }: { judge?: Provider | undefined; signal?: AbortSignal | undefined },
): AssertionChecks {
  const code = openCodePool({ command: codeCommand, cwd: folder, env, signal });
  const common = { folder, env, code, signal };
  const { models } = createProviders({
    ...{ ...common, judge, providers: [] },
    modelProvider: (id) => `${id}: Devflow does not call this provider`,
  });
  return {
    close: () => code.close(),
    async check(expectation, output, given) {
      try {
        const { text, answered } = read(output);
        const prompt = [given.input.prompt, given.input.text].find((one) => typeof one === "string") as
          | string
          | undefined;
        const test = { description: given.name, vars: given.input };
        const input = { output: text, answered, prompt, vars: given.input, test, options: {} };
        const tools = { ...common, models };
        const assertion = expectation as Assertion;
        const grade =
          assertion.type === "assert-set"
            ? await checkAssertions([assertion], input, tools)
            : await checkAssertion(assertion, input, tools);
        return outcomeOf(grade, expectation, text);
      } catch (error) {
        signal.throwIfAborted();
        const message = error instanceof Error ? error.message : String(error);
        return { status: "error", message, expected: expectation.value ?? null, actual: null };
      }
    },
  };
}

function read({ output, durationMs, usage }: CaseOutput) {
  const members = isMembers(output) ? output : {};
  const key = textKeys.find((one) => typeof members[one] === "string");
  const { trace, metadata, logProbs, finishReason, cost } = members;
  const costs = (usage ?? []).map(({ cost_usd: one }) => one).filter((one) => typeof one === "number");
  return {
    text: key === undefined ? output : members[key],
    answered: {
      latencyMs: durationMs,
      cost: typeof cost === "number" ? cost : costs.length > 0 ? costs.reduce((sum, one) => sum + one, 0) : undefined,
      logProbs: Array.isArray(logProbs) ? (logProbs as number[]) : undefined,
      finishReason: typeof finishReason === "string" ? finishReason : undefined,
      metadata: isMembers(metadata) ? metadata : undefined,
      trace: isMembers(trace) && Array.isArray(trace.spans) ? (trace as unknown as Trace) : undefined,
    },
  };
}

function outcomeOf(grade: Grade, { value }: Expectation, output: unknown): Outcome {
  const parts = (grade.componentResults ?? []).filter(({ pass }) => !pass);
  const failed = parts.length > 0 ? parts : [grade];
  const isJudgeError = failed.every(({ metadata }) => metadata?.graderError === true);
  return {
    status: grade.pass ? "pass" : isJudgeError ? "error" : "fail",
    score: grade.score,
    message: grade.reason,
    expected: value ?? null,
    actual: output ?? null,
  };
}
