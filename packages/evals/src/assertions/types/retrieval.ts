/** Assertions on answers from retrieved context, and on how similar texts are. */
import { askForText, JudgeFailed, judged, ownPrompt, parsedOr, rubricPrompt } from "../ask-judge.ts";
import { type Check, type Checker, type Grade, isMembers, type JudgeUsage, need, round } from "../assertion.ts";
import { judgePrompts } from "../judge-prompts.ts";
import { transformed } from "../transform.ts";

const lines = (text: string): string[] => text.split("\n").filter((line) => line.trim() !== "");
/** One block of prose is split into sentences; several lines are units already. */
function units(text: string): string[] {
  const found = lines(text);
  return (found.length > 1 ? found : text.split(/(?<=[.!?])\s+/))
    .map((one) => one.trim())
    .filter((one) => one !== "" && !/^\d+[.)]$/.test(one));
}

const threshold = ({ assertion }: Check, usual = 0.5): number => assertion.threshold ?? usual;

function gradeOf(check: Check, score: number, what: string, usage: readonly JudgeUsage[]): Grade {
  const pass = score >= threshold(check) - Number.EPSILON;
  const reason = `${what} is ${round(score)}, the threshold ${threshold(check)}`;
  return { pass: pass !== check.isNegated, score: check.isNegated ? 1 - score : score, reason, usage };
}

/** The variable `context`, or what `contextTransform` takes from the output. */
async function contextOf(check: Check, fallback?: string): Promise<string | readonly string[]> {
  const { vars, assertion, answered, output, prompt } = check;
  let context: unknown = vars.context || fallback;
  if (assertion.contextTransform) {
    const from = answered.untransformed ?? output;
    const about = { vars, prompt: { label: prompt }, ...(answered.metadata ? { metadata: answered.metadata } : {}) };
    context = await transformed(assertion.contextTransform, from, about, check.tools);
  }
  const isText = typeof context === "string" && context !== "";
  const isList =
    Array.isArray(context) && context.length > 0 && context.every((one) => typeof one === "string" && one !== "");
  need(isText || isList, `${check.baseType} needs a variable "context", or a contextTransform`);
  return context as string | string[];
}

const joined = (context: string | readonly string[]): string =>
  typeof context === "string" ? context : context.join("\n\n");

function queryOf({ vars, baseType }: Check): string {
  need(typeof vars.query === "string", `${baseType} needs a variable "query"`);
  return vars.query;
}

const contextRecall: Checker = async (check) => {
  const { value, prompt } = check;
  need(typeof value === "string", "context-recall needs a text as its value");
  need(prompt, "context-recall needs a prompt");
  const context = joined(await contextOf(check, prompt));
  return await judged(async () => {
    const vars = { ...check.vars, context, groundTruth: value };
    const { text, usage } = await askForText(check, await rubricPrompt(check, judgePrompts.contextRecall), vars);
    const marked = lines(text.toLowerCase()).filter((line) => /\[(?:not )?attributed\]/.test(line));
    if (marked.length === 0) throw new JudgeFailed("the judge marked no sentence as attributed or not", usage);
    const found = marked.filter((line) => !line.includes("[not attributed]")).length;
    return gradeOf(check, found / marked.length, "the recall", usage);
  });
};

const contextRelevance: Checker = async (check) => {
  const query = queryOf(check);
  const context = await contextOf(check);
  return await judged(async () => {
    const vars = { context: joined(context), query };
    const { text, usage } = await askForText(check, await rubricPrompt(check, judgePrompts.contextRelevance), vars);
    const isSplit = Array.isArray(context) || lines(context as string).length > 1;
    const all = Array.isArray(context) ? context.filter((one) => one.trim() !== "") : units(context as string);
    const isInsufficient = text.includes("Insufficient Information");
    const quoted = isInsufficient ? [] : [...new Set(isSplit ? lines(text) : units(text))];
    const folded = (one: string) => one.toLowerCase().replace(/\s+/g, " ").trim();
    const whole = folded(joined(context));
    const isQuoted = quoted.some((one) => whole.includes(folded(one.replace(/^\s*(?:\d+[.)]|[-*])\s*/, ""))));
    if (quoted.length > 0 && !isQuoted) throw new JudgeFailed("the judge did not quote the context", usage);
    const score = all.length > 0 ? Math.min(quoted.length, all.length) / all.length : 0;
    return gradeOf(check, score, "the relevance of the context", usage);
  });
};

const faithfulness: Checker = async (check) => {
  const question = queryOf(check);
  need(typeof check.output === "string", "context-faithfulness needs an output that is text");
  const context = joined(await contextOf(check));
  const own = ownPrompt(check);
  need(!own || Array.isArray(own), "the rubricPrompt of context-faithfulness must be a list of two prompts");
  const part = (index: number): unknown => {
    const given = Array.isArray(own) ? (own[index] as unknown) : undefined;
    return isMembers(given) ? given.content : given;
  };
  return await judged(async () => {
    const first = await askForText(
      check,
      await rubricPrompt(check, judgePrompts.faithfulnessStatements, part(0) ?? ""),
      {
        ...check.vars,
        question,
        answer: parsedOr(check.text),
      },
    );
    const statements = lines(first.text);
    if (statements.length === 0) throw new JudgeFailed("the judge found no statements", first.usage);
    const second = await askForText(
      check,
      await rubricPrompt(check, judgePrompts.faithfulnessVerdicts, part(1) ?? ""),
      {
        ...check.vars,
        context,
        statements,
      },
    );
    const usage = [...first.usage, ...second.usage];
    const unsupported = unsupportedOf(second.text.toLowerCase().trim(), statements.length);
    if (unsupported === undefined) throw new JudgeFailed("the judge gave no verdicts", usage);
    const score = Math.min(1, Math.max(0, 1 - unsupported / statements.length));
    return gradeOf(check, score, "the faithfulness", usage);
  });
};

/** A statement without a verdict is not supported. */
function unsupportedOf(text: string, statements: number): number | undefined {
  const last = "final verdict for each statement in order:";
  if (text.includes(last)) {
    const verdicts = text
      .slice(text.indexOf(last) + last.length)
      .split(".")
      .filter((one) => one.trim() !== "");
    if (verdicts.length === 0 || !verdicts.every((one) => /\b(?:yes|no)\b/.test(one))) return undefined;
    return verdicts.filter((one) => !one.includes("yes")).length + Math.max(0, statements - verdicts.length);
  }
  const [no, yes] = [text.split("verdict: no").length - 1, text.split("verdict: yes").length - 1];
  return no + yes === 0 ? undefined : no + Math.max(0, statements - no - yes);
}

const dot = (a: readonly number[], b: readonly number[]): number => {
  need(a.length === b.length, `the embeddings have ${a.length} and ${b.length} dimensions`);
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
};
function cosine(a: readonly number[], b: readonly number[]): number {
  const lengths = Math.sqrt(dot(a, a)) * Math.sqrt(dot(b, b));
  return lengths === 0 ? 0 : dot(a, b) / lengths;
}
function distance(a: readonly number[], b: readonly number[]): number {
  need(a.length === b.length, `the embeddings have ${a.length} and ${b.length} dimensions`);
  return Math.sqrt(a.reduce((sum, value, index) => sum + (value - (b[index] ?? 0)) ** 2, 0));
}

async function embedding(check: Check) {
  const found = await check.tools.models.embed(check.assertion, check.options);
  need(
    found,
    `${check.baseType} needs an embedding provider: give the assertion one, such as openai:embedding:<model>`,
  );
  return found;
}

const questions = 3;

const answerRelevance: Checker = async (check) => {
  const { output, prompt, vars } = check;
  need(typeof output === "string", "answer-relevance needs an output that is text");
  need(prompt, "answer-relevance needs a prompt");
  const embed = await embedding(check);
  return await judged(async () => {
    const template = await rubricPrompt(check, judgePrompts.answerQuestion);
    const usage: JudgeUsage[] = [];
    const asked: string[] = [];
    for (let count = 0; count < questions; count += 1) {
      const answer = await askForText(check, template, { answer: parsedOr(output) });
      usage.push(...answer.usage);
      asked.push(answer.text);
    }
    const wanted = await embed(typeof vars.query === "string" ? vars.query : prompt);
    const similarities: number[] = [];
    for (const question of asked) similarities.push(cosine(wanted, await embed(question)));
    const score = similarities.reduce((sum, one) => sum + one, 0) / similarities.length;
    return gradeOf(check, score, "the relevance", usage);
  });
};

/** Euclidean distances pass below the threshold, similarities above it. */
const similar: Checker = async (check) => {
  const { value, text, isNegated, baseType } = check;
  const wanted = (Array.isArray(value) ? value : [value]) as unknown[];
  need(
    wanted.length > 0 && wanted.every((one) => typeof one === "string"),
    `${baseType} needs a text or a list of texts`,
  );
  const embed = await embedding(check);
  const limit = threshold(check, 0.75);
  return await judged(async () => {
    const own = await embed(text);
    let best: Grade | undefined;
    for (const one of wanted) {
      const other = await embed(one as string);
      const grade = compared(own, other, baseType, limit, isNegated);
      // One similar text decides, for it or against it.
      if (grade.pass !== isNegated) return grade;
      if (!best || (isNegated ? grade.score < best.score : grade.score > best.score)) best = grade;
    }
    return best as Grade;
  });
};

function compared(a: readonly number[], b: readonly number[], type: string, limit: number, isNegated: boolean): Grade {
  if (type === "similar:euclidean") {
    const found = distance(b, a);
    const pass = isNegated ? found >= limit - Number.EPSILON : found <= limit + Number.EPSILON;
    const score = 1 / (1 + found);
    return {
      pass,
      score: isNegated ? 1 - score : score,
      reason: `the distance is ${round(found)}, the threshold ${limit}`,
    };
  }
  const found = type === "similar:dot" ? dot(b, a) : cosine(b, a);
  const pass = isNegated ? found <= limit + Number.EPSILON : found >= limit - Number.EPSILON;
  return {
    pass,
    score: isNegated ? 1 - found : found,
    reason: `the similarity is ${round(found)}, the threshold ${limit}`,
  };
}

export const retrievalAssertions: Readonly<Record<string, Checker>> = {
  "context-recall": contextRecall,
  "context-relevance": contextRelevance,
  "context-faithfulness": faithfulness,
  "answer-relevance": answerRelevance,
  similar,
  "similar:cosine": similar,
  "similar:dot": similar,
  "similar:euclidean": similar,
};
