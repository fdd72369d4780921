/** Assertions that classify or moderate, by a provider of the suite's own; and those that only one company's service answers. */
import { judged } from "../ask-judge.ts";
import { CannotCheck, type Checker, type Grade, isMembers, need, round } from "../assertion.ts";

const classifier: Checker = async (check) => {
  const { value, text, assertion, isNegated, tools, options } = check;
  need(value === undefined || typeof value === "string", "classifier needs a text, or no value");
  const classify = await tools.models.classify(assertion, options);
  need(classify, "classifier needs a provider that classifies: a script with callClassificationApi");
  return await judged(async () => {
    const answer = await classify(text);
    const scores = isMembers(answer.classification) ? answer.classification : {};
    if (Object.keys(scores).length === 0) return graderError(String(answer.error ?? "the classifier gave no scores"));
    const found =
      value === undefined
        ? Math.max(...Object.values(scores).map(Number))
        : Number((Object.hasOwn(scores, value) ? scores[value] : 0) || 0);
    const pass = found >= (assertion.threshold ?? 1) - Number.EPSILON;
    const reason = `${value ?? "the likeliest class"} has the score ${round(found)}`;
    return { pass: pass !== isNegated, score: isNegated ? 1 - found : found, reason };
  });
};

const graderError = (reason: string): Grade => ({ pass: false, score: 0, reason, metadata: { graderError: true } });

const moderation: Checker = async (check) => {
  const { value, text, prompt, assertion, isNegated, tools, options } = check;
  need(prompt, "moderation needs a prompt");
  need(!value || (Array.isArray(value) && typeof value[0] === "string"), "moderation needs a list of categories");
  const moderate = await tools.models.moderate(assertion, options);
  need(moderate, "moderation needs a provider that moderates: a script with callModerationApi");
  const answer = text === "" ? { flags: [] } : await moderate(lastUserText(prompt), text);
  if (answer.error) return graderError(String(answer.error));
  const flags = (Array.isArray(answer.flags) ? answer.flags : []).filter(isMembers);
  const categories = Array.isArray(value) ? value : [];
  const relevant = flags.filter(({ code }) => categories.length === 0 || categories.includes(code));
  const pass = (relevant.length === 0) !== isNegated;
  const reason =
    relevant.map(({ description, code }) => String(description ?? code)).join(", ") || "nothing was flagged";
  return { pass, score: pass ? 1 : 0, reason };
};

/** Of a conversation in JSON, what the user said last. */
function lastUserText(prompt: string): string {
  let messages: unknown;
  try {
    messages = JSON.parse(prompt);
  } catch {
    return prompt;
  }
  if (!Array.isArray(messages)) return prompt;
  const spoken = messages.filter(isMembers).filter(({ content }) => typeof content === "string");
  const last = spoken.findLast(({ role }) => role === "user") ?? spoken.at(-1);
  return typeof last?.content === "string" ? last.content : prompt;
}

const pi: Checker = () => {
  throw new CannotCheck("pi is scored only by the service of Pi Labs, which Devflow does not call");
};

export const hostedAssertions: Readonly<Record<string, Checker>> = { classifier, moderation, pi };
