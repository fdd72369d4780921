/**
 * Assertions that compare the outputs of one test by different prompts and providers.
 *
 * - `selectBest(assertion, outputs, input, tools)` a judge chooses one output; the others fail.
 * - `selectMaxScore(assertion, grades)` the output with the highest score of its other assertions; the others fail.
 */
import { askForText, JudgeFailed, parsedOr, rubricPrompt } from "./ask-judge.ts";
import {
  type Assertion,
  type AssertionInput,
  type AssertionTools,
  CannotCheck,
  type Grade,
  isMembers,
  textOf,
} from "./assertion.ts";
import { judgePrompts } from "./judge-prompts.ts";

export async function selectBest(
  assertion: Assertion,
  outputs: readonly unknown[],
  input: AssertionInput,
  tools: AssertionTools,
): Promise<Grade[]> {
  const { value: criteria } = assertion;
  if (typeof criteria !== "string") throw new CannotCheck("select-best needs a text as its value");
  if (outputs.length < 2) throw new CannotCheck("select-best needs at least two outputs");
  const text = textOf(input.output);
  const check = {
    ...input,
    assertion,
    baseType: "select-best",
    isNegated: false,
    value: criteria,
    scripted: undefined,
    text,
    tools,
  };
  const vars = {
    ...input.vars,
    criteria,
    outputs: outputs.map((one) => (typeof one === "string" ? parsedOr(one) : one)),
  };
  const all = (grade: Omit<Grade, "assertion">): Grade[] => outputs.map(() => ({ ...grade, assertion }));
  try {
    const answer = await askForText(check, await rubricPrompt(check, judgePrompts.selectBest), vars);
    const chosen = Number.parseInt(/\d+/.exec(answer.text)?.[0] ?? "", 10);
    if (!(chosen >= 0 && chosen < outputs.length)) {
      return all({
        pass: false,
        score: 0,
        reason: `the judge chose none of the outputs: ${answer.text.slice(0, 100)}`,
      });
    }
    return outputs.map((_, index) => {
      const isBest = index === chosen;
      const reason = isBest ? `chosen as the best: ${criteria}` : `not chosen as the best: ${criteria}`;
      return { pass: isBest, score: isBest ? 1 : 0, reason, assertion, usage: index === 0 ? answer.usage : [] };
    });
  } catch (error) {
    if (!(error instanceof JudgeFailed)) throw error;
    return all({ pass: false, score: 0, reason: error.message, metadata: { graderError: true } });
  }
}

export function selectMaxScore(assertion: Assertion, grades: readonly (Grade | undefined)[]): Grade[] {
  if (grades.length < 2) throw new CannotCheck("max-score needs at least two outputs");
  const value = isMembers(assertion.value) ? assertion.value : {};
  const weights = isMembers(value.weights) ? value.weights : {};
  const scores = grades.map((grade) => {
    const parts = (grade?.componentResults ?? []).filter(
      ({ assertion: one }) => one && one.type !== "max-score" && one.type !== "select-best",
    );
    if (parts.length === 0) throw new CannotCheck("max-score needs another assertion beside it");
    let [sum, weight] = [0, 0];
    for (const { assertion: one, score } of parts) {
      const type = one?.type ?? "";
      const own = Object.hasOwn(weights, type) ? Number(weights[type]) : 1;
      sum += (score || 0) * own;
      weight += own;
    }
    return { score: value.method === "sum" ? sum : weight > 0 ? sum / weight : 0, count: parts.length, weight };
  });
  const most = Math.max(...scores.map(({ score }) => score));
  const winner = scores.findIndex(({ score }) => score === most);
  const isEnough = typeof value.threshold !== "number" || most >= value.threshold;
  return scores.map(({ score, count, weight }, index) => {
    const isBest = index === winner && isEnough;
    return {
      pass: isBest,
      score: isBest ? 1 : 0,
      reason: `${isBest ? "the highest score" : "not the highest score"}: ${score.toFixed(3)} of ${most.toFixed(3)}`,
      namedScores: { maxScore: score, assertionCount: count, totalWeight: weight },
      assertion,
    };
  });
}
