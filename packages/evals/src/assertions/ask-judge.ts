/**
 * Asks the judge of an assertion.
 *
 * - `askJudge(check, prompt, vars)` its answer, or a grade that says why there is none. Such a grade is an ERROR of the judge:
 *   no negation turns it into a pass.
 * - `JudgeFailed` for a judge that did not answer as it should.
 */
import { ProviderFault } from "../providers/provider.ts";
import { renderTemplate, TemplateFault } from "../template/index.ts";
import { type Check, type Grade, type JudgeUsage, need } from "./assertion.ts";
import { readSuiteFile } from "./suite-file.ts";

export interface JudgeAnswer {
  readonly output: string | object;
  readonly usage: readonly JudgeUsage[];
}

/** Thrown inside a check, and turned into its grade by `judged`. */
export class JudgeFailed extends Error {
  override readonly name = "JudgeFailed";
  readonly usage: readonly JudgeUsage[];
  constructor(message: string, usage: readonly JudgeUsage[] = []) {
    super(message);
    this.usage = usage;
  }
}

export async function judged(work: () => Promise<Grade>): Promise<Grade> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof JudgeFailed)) throw error;
    return { pass: false, score: 0, reason: error.message, metadata: { graderError: true }, usage: error.usage };
  }
}

export async function askJudge(
  check: Check,
  template: string,
  vars: Readonly<Record<string, unknown>>,
): Promise<JudgeAnswer> {
  const { tools, assertion, options } = check;
  const judge = await tools.models.judge(assertion, options);
  need(judge, `${check.baseType} needs a judge: run with --judge, or give the assertion a provider`);
  const prompt = renderRubric(template, vars, tools.env);
  try {
    const { output, tokens, costUsd } = await judge.call({ prompt, vars, signal: tools.signal });
    const usage: JudgeUsage[] = tokens ? [{ model: judge.model ?? judge.id, ...tokens, costUsd: costUsd ?? null }] : [];
    if (!output) throw new JudgeFailed("the judge gave no answer", usage);
    return { output, usage };
  } catch (error) {
    if (error instanceof ProviderFault) throw new JudgeFailed(`the judge failed: ${error.message}`);
    throw error;
  }
}

/** The same, for prompts whose answer is text. */
export async function askForText(
  check: Check,
  template: string,
  vars: Readonly<Record<string, unknown>>,
): Promise<{ text: string; usage: readonly JudgeUsage[] }> {
  const { output, usage } = await askJudge(check, template, vars);
  need(typeof output === "string", `the judge of ${check.baseType} answered with an object instead of a text`);
  return { text: output, usage };
}

/** A prompt in JSON is a conversation: each text in it is rendered for itself, so that quotes in variables do no harm. */
function renderRubric(
  template: string,
  vars: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const plain = Object.fromEntries(Object.entries(vars).map(([name, value]) => [name, asText(name, value)]));
  const render = (text: string) => renderTemplate(text, plain, { env });
  let conversation: unknown;
  try {
    conversation = JSON.parse(template, (_, value: unknown) => (typeof value === "string" ? render(value) : value));
  } catch (error) {
    if (error instanceof TemplateFault) throw error;
    return render(template);
  }
  return JSON.stringify(conversation);
}

/** Lists stay lists, for loops; the judge reads objects as JSON. */
function asText(name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || name === "messages") return value;
  if (!Array.isArray(value)) return JSON.stringify(value);
  return value.map((one: unknown) => (typeof one === "object" && one !== null ? JSON.stringify(one) : one));
}

/** The suite's own prompt for the judge, or the usual one. */
export async function rubricPrompt(check: Check, usual: string, given: unknown = ownPrompt(check)): Promise<string> {
  if (!given || (typeof given === "object" && Object.keys(given).length === 0)) return usual;
  if (typeof given !== "string") return JSON.stringify(given);
  if (!given.startsWith("file://")) return given;
  const found = await readSuiteFile(given, check.tools, []);
  return typeof found === "string" ? found : JSON.stringify(found);
}

export const ownPrompt = ({ assertion, options }: Check): unknown => assertion.rubricPrompt ?? options.rubricPrompt;

export function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
