/** Assertions on what a provider reports: cost, latency, token probabilities, why it stopped, guardrails, refusals. */
import { type Check, type Checker, need, round, yesOrNo } from "../assertion.ts";
import { isRefusal } from "../refusal.ts";

const cost: Checker = (check) => {
  const { assertion, answered, isNegated } = check;
  const { threshold } = assertion;
  need(threshold !== undefined, "cost needs a threshold in dollars");
  need(answered.cost !== undefined, "the provider does not report its cost");
  const problem = `it cost $${answered.cost}, expected ${isNegated ? "more than" : "at most"} $${threshold}`;
  return yesOrNo(answered.cost <= threshold, check, problem);
};

const latency: Checker = (check) => {
  const { assertion, answered, isNegated } = check;
  const { threshold } = assertion;
  need(threshold !== undefined, "latency needs a threshold in milliseconds");
  need(answered.latencyMs !== undefined, "the latency is not known");
  const problem = `it took ${answered.latencyMs} ms, expected ${isNegated ? "more than" : "at most"} ${threshold} ms`;
  return yesOrNo(answered.latencyMs <= threshold, check, problem);
};

function meanLogProb({ answered, baseType }: Check): number {
  const { logProbs } = answered;
  need(logProbs && logProbs.length > 0, `${baseType} needs a provider that reports logProbs`);
  return logProbs.reduce((sum, one) => sum + one, 0) / logProbs.length;
}

const perplexity: Checker = (check) => {
  const value = Math.exp(-meanLogProb(check));
  const { threshold } = check.assertion;
  if (threshold === undefined) return { pass: true, score: 1, reason: `the perplexity is ${round(value)}` };
  return yesOrNo(value <= threshold, check, `the perplexity is ${round(value)}, the threshold ${threshold}`);
};

const perplexityScore: Checker = (check) => {
  const value = 1 / (1 + Math.exp(-meanLogProb(check)));
  const { threshold } = check.assertion;
  const pass = threshold === undefined || value >= threshold !== check.isNegated;
  return { pass, score: check.isNegated ? 1 - value : value, reason: `the perplexity score is ${round(value)}` };
};

const finishReason: Checker = (check) => {
  const { value, answered, isNegated } = check;
  need(typeof value === "string", "finish-reason needs a text as its value");
  const actual = answered.finishReason;
  const problem = `the provider stopped with ${actual ? `"${actual}"` : "no reason"}, expected ${isNegated ? "not " : ""}"${value}"`;
  return yesOrNo(actual?.toLowerCase() === value.toLowerCase(), check, problem);
};

const guardrails: Checker = (check) => {
  const isFlagged = check.answered.guardrails?.flagged === true;
  const reason = check.answered.guardrails?.reason;
  const told = isFlagged ? `a guardrail stopped it${reason ? `: ${String(reason)}` : ""}` : "no guardrail stopped it";
  return yesOrNo(!isFlagged, check, told);
};

const refusal: Checker = (check) => {
  const { output, isNegated } = check;
  // No answer counts as a refusal, but earns no score.
  if (typeof output !== "string" || output.trim() === "") {
    return { pass: !isNegated, score: 0, reason: isNegated ? "the output is empty, which is a refusal" : "passed" };
  }
  return yesOrNo(isRefusal(output), check, `expected the output ${isNegated ? "not " : ""}to be a refusal`);
};

export const measureAssertions: Readonly<Record<string, Checker>> = {
  cost,
  latency,
  perplexity,
  "perplexity-score": perplexityScore,
  "finish-reason": finishReason,
  guardrails,
  "is-refusal": refusal,
};
