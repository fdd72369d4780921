/**
 * Checks all assertions of a test and combines their grades.
 *
 * - `checkAssertions(assertions, input, tools, options)` the grade of the test. Its score is the weighted mean; it passes if
 *   every assertion passes or, with a threshold, if the score reaches it. An `assert-set` is graded in the same way.
 */
import { renderTemplate, TemplateFault } from "../template/index.ts";
import type { Assertion, AssertionInput, AssertionTools, Grade, JudgeUsage } from "./assertion.ts";
import { checkAssertion } from "./check-assertion.ts";

export interface CombineOptions {
  readonly threshold?: number | undefined;
  /** The suite's own scoring function. */
  readonly score?: ((scores: Readonly<Record<string, number>>, context: object) => Promise<unknown>) | undefined;
}

export async function checkAssertions(
  assertions: readonly Assertion[],
  input: AssertionInput,
  tools: AssertionTools,
  { threshold, score }: CombineOptions = {},
): Promise<Grade> {
  if (assertions.length === 0) return { pass: true, score: 1, reason: "no assertions" };
  const all = new Combined(threshold);
  for (const assertion of assertions) {
    if (isCompared(assertion)) continue;
    const grade = await gradeOf(assertion, input, tools);
    all.add(grade, metricName(assertion.metric, input, tools), assertion.weight ?? 1);
  }
  return await all.grade(score);
}

/** These need the outputs of all prompts and providers. */
const isCompared = ({ type }: Assertion): boolean => type.startsWith("select-") || type === "max-score";

async function gradeOf(assertion: Assertion, input: AssertionInput, tools: AssertionTools): Promise<Grade> {
  if (assertion.type !== "assert-set") return await checkAssertion(assertion, input, tools);
  const set = new Combined(assertion.threshold);
  for (const one of assertion.assert ?? []) {
    if (isCompared(one)) continue;
    set.add(await checkAssertion(one, input, tools), metricName(one.metric, input, tools), one.weight ?? 1);
  }
  const { type, metric, threshold, weight, assert = [] } = assertion;
  const about = { type, assertionCount: assert.length, metric, threshold, weight };
  const found = await set.grade();
  const metadata = Object.fromEntries(Object.entries(about).filter(([, value]) => value !== undefined));
  return { ...found, metadata: { assertionSet: metadata } };
}

function metricName(metric: unknown, { vars }: AssertionInput, { env }: AssertionTools): string | undefined {
  if (typeof metric !== "string" || metric === "") return undefined;
  try {
    return renderTemplate(metric, vars, { env });
  } catch (error) {
    if (error instanceof TemplateFault) return metric;
    throw error;
  }
}

class Combined {
  private readonly threshold: number | undefined;
  private readonly grades: Grade[] = [];
  private readonly named = new Map<string, { sum: number; weight: number }>();
  private sum = 0;
  private weight = 0;
  private failure: string | undefined;
  private isBlocked = false;

  constructor(threshold: number | undefined) {
    this.threshold = typeof threshold === "number" && !Number.isNaN(threshold) ? threshold : undefined;
  }

  add(grade: Grade, metric: string | undefined, weight: number): void {
    this.grades.push(grade);
    this.sum += grade.score * weight;
    this.weight += weight;
    if (metric) this.name(metric, grade.score, weight);
    for (const [name, score] of Object.entries(grade.namedScores ?? {})) {
      if (name !== metric) this.name(name, score, (own(grade.namedScoreWeights, name) ?? 1) * weight);
    }
    if (grade.pass) return;
    this.failure = grade.reason;
    const { type, config } = grade.assertion ?? {};
    this.isBlocked ||= type === "guardrails" && config?.purpose === "redteam";
  }

  private name(name: string, score: number, weight: number): void {
    const before = this.named.get(name) ?? { sum: 0, weight: 0 };
    this.named.set(name, { sum: before.sum + score * weight, weight: before.weight + weight });
  }

  async grade(score?: CombineOptions["score"]): Promise<Grade> {
    const mean = this.weight > 0 ? this.sum / this.weight : 0;
    const reaches = this.threshold === undefined ? this.failure === undefined : mean >= this.threshold;
    const reason =
      this.threshold === undefined
        ? (this.failure ?? "all assertions passed")
        : `the score ${mean.toFixed(2)} is ${reaches ? "at least" : "below"} the threshold ${this.threshold}`;
    const namedScores = Object.fromEntries(
      [...this.named].map(([name, { sum, weight }]) => [name, weight > 0 ? sum / weight : 0]),
    );
    const componentResults = this.grades.flatMap((one) => [
      one,
      ...(one.componentResults ?? []).map((inner) => ({ ...inner, assertion: inner.assertion ?? one.assertion })),
    ]);
    const usage: JudgeUsage[] = this.grades.flatMap((one) => one.usage ?? []);
    const found: Grade = {
      pass: reaches || this.isBlocked,
      score: mean,
      reason: this.isBlocked ? "a guardrail stopped it" : reason,
      namedScores,
      namedScoreWeights: Object.fromEntries([...this.named].map(([name, { weight }]) => [name, weight])),
      componentResults,
      usage,
    };
    return score ? await this.scoredBy(score, found) : found;
  }

  private async scoredBy(score: NonNullable<CombineOptions["score"]>, found: Grade): Promise<Grade> {
    try {
      const context = { threshold: this.threshold, componentResults: found.componentResults };
      const own = (await score(found.namedScores ?? {}, context)) as Partial<Grade> | undefined;
      const isGrade = typeof own?.pass === "boolean" && typeof own.score === "number" && typeof own.reason === "string";
      if (!isGrade) throw new Error("it must return { pass, score, reason }");
      return { ...found, ...own };
    } catch (error) {
      return { ...found, pass: false, score: 0, reason: `the scoring function failed: ${(error as Error).message}` };
    }
  }
}

const own = (values: Readonly<Record<string, number>> | undefined, name: string): number | undefined =>
  values && Object.hasOwn(values, name) ? values[name] : undefined;
