/** Assertions that a judge decides. */
import { askForText, askJudge, JudgeFailed, judged, ownPrompt, parsedOr, rubricPrompt } from "../ask-judge.ts";
import { type Check, type Checker, type Grade, isMembers, type JudgeUsage, need } from "../assertion.ts";
import { jsonObjectsIn } from "../json-objects.ts";
import { judgePrompts } from "../judge-prompts.ts";
import { trajectorySummary } from "../trajectory.ts";
import { traceOf } from "./traces.ts";

/** Reads `{ pass, score, reason }`; `isStrict` needs a verdict of true or false. */
async function byRubric(
  check: Check,
  usual: string,
  vars: Readonly<Record<string, unknown>>,
  isStrict = false,
): Promise<Grade> {
  return await judged(async () => {
    const { output, usage } = await askJudge(check, await rubricPrompt(check, usual), { ...check.vars, ...vars });
    const found = typeof output === "string" ? jsonObjectsIn(output)[0] : output;
    if (!isMembers(found)) throw new JudgeFailed(`the judge's answer contains no JSON: ${shown(output)}`, usage);
    if (isStrict && typeof found.pass !== "boolean") throw new JudgeFailed("the judge gave no verdict", usage);
    const given = found.pass ?? true;
    const says = typeof given === "boolean" ? given : /^(?:true|yes|pass|y)$/i.test(String(given));
    const number = Number(found.score);
    const usualScore = isStrict ? (says ? 1 : 0) : Number.isFinite(number) ? number : Number(says);
    const score = typeof found.score === "number" ? found.score : usualScore;
    const threshold = Number(check.assertion.threshold ?? Number.NaN);
    const pass = says && (Number.isNaN(threshold) || score >= threshold);
    const reason =
      typeof found.reason === "string" && found.reason ? found.reason : pass ? "passed" : `the score is ${score}`;
    return { pass: pass !== check.isNegated, score: check.isNegated ? inverted(score) : score, reason, usage };
  });
}

const inverted = (score: number): number => Math.min(1, Math.max(0, 1 - (Number.isFinite(score) ? score : 0)));
const shown = (output: unknown): string => (typeof output === "string" ? output : JSON.stringify(output)).slice(0, 200);

const rubric =
  (prompt: string): Checker =>
  (check) => {
    const { value } = check;
    const isUsable = ["string", "object", "undefined"].includes(typeof value);
    need(isUsable, `${check.baseType} needs a text or an object as its value`);
    return byRubric(check, prompt, { output: parsedOr(check.text), rubric: value || "" });
  };

const searchRubric: Checker = (check) => {
  need(typeof check.value === "string", "search-rubric needs a text as its value");
  return byRubric(check, judgePrompts.searchRubric, { output: parsedOr(check.text), rubric: check.value }, true);
};

const goalSuccess: Checker = async (check) => {
  const { value } = check;
  const goal = typeof value === "string" ? value : isMembers(value) ? value.goal : undefined;
  need(typeof goal === "string" && goal.trim() !== "", "trajectory:goal-success needs a goal");
  const trajectory = trajectorySummary(traceOf(check));
  const vars = { goal: goal.trim(), output: parsedOr(check.text), trajectory };
  const grade = await byRubric({ ...check, isNegated: false }, judgePrompts.goalSuccess, vars);
  if (!check.isNegated || grade.metadata?.graderError === true) return grade;
  return { ...grade, pass: !grade.pass, score: grade.pass ? 0 : 1 };
};

const letters = { A: "subset", B: "superset", C: "agree", D: "disagree", E: "differButFactual" } as const;

/** `not-` does not change the verdict. */
const factuality: Checker = (check) =>
  judged(async () => {
    const { value, prompt, options } = check;
    need(typeof value === "string", "factuality needs a text as its value");
    need(prompt, "factuality needs a prompt");
    const vars = { ...check.vars, input: prompt, ideal: value, completion: parsedOr(check.text) };
    const { text, usage } = await askForText(check, await rubricPrompt(check, judgePrompts.factuality), vars);
    const found = jsonObjectsIn(text)[0];
    const category = isMembers(found) && typeof found.category === "string" ? found.category.trim() : undefined;
    const letter = (category || /\(?([a-e])\)/i.exec(text)?.[1])?.toUpperCase() ?? "";
    if (!Object.hasOwn(letters, letter)) throw new JudgeFailed(`the judge chose none of A to E: ${shown(text)}`, usage);
    const own = isMembers(options.factuality) ? options.factuality : {};
    const given = own[letters[letter as keyof typeof letters]];
    const score = typeof given === "number" ? given : letter === "D" ? 0 : 1;
    const reason = isMembers(found) && typeof found.reason === "string" ? found.reason : `category ${letter}`;
    return { pass: score > 0, score, reason, usage };
  });

/** `not-` does not change the verdict. */
const closedQa: Checker = (check) =>
  judged(async () => {
    const { value, prompt } = check;
    need(typeof value === "string", "model-graded-closedqa needs a text as its value");
    need(prompt, "model-graded-closedqa needs a prompt");
    const vars = { ...check.vars, input: prompt, criteria: value, completion: parsedOr(check.text) };
    const { text, usage } = await askForText(check, await rubricPrompt(check, judgePrompts.closedQa), vars);
    const pass = text.trimEnd().endsWith("Y");
    return { pass, score: pass ? 1 : 0, reason: text.trim().slice(0, 2_000), usage };
  });

const maxScore = 10;

async function gEvalOnce(
  check: Check,
  criteria: string,
): Promise<{ score: number; reason: string; usage: JudgeUsage[] }> {
  const own = ownPrompt(check);
  const ownPart = (name: string) => (isMembers(own) ? own[name] : undefined);
  const first = await askForText(check, await rubricPrompt(check, judgePrompts.gEvalSteps, ownPart("steps")), {
    criteria,
  });
  const steps = lineObject(first.text, /\{"steps".+\}/)?.steps;
  const areSteps =
    Array.isArray(steps) && steps.length > 0 && steps.every((one) => typeof one === "string" && one.trim() !== "");
  if (!areSteps) throw new JudgeFailed(`the judge proposed no steps: ${shown(first.text)}`, first.usage);
  const vars = {
    criteria,
    steps: steps.join("\n- "),
    maxScore: String(maxScore),
    input: parsedOr(check.prompt ?? ""),
    output: parsedOr(check.text),
  };
  const second = await askForText(check, await rubricPrompt(check, judgePrompts.gEval, ownPart("evaluate")), vars);
  const usage = [...first.usage, ...second.usage];
  const found = lineObject(second.text, /\{.+\}/);
  const score = typeof found?.score === "string" && found.score.trim() !== "" ? Number(found.score) : found?.score;
  const isScore = typeof score === "number" && score >= 0 && score <= maxScore;
  if (!isScore) throw new JudgeFailed(`the judge gave no score from 0 to ${maxScore}: ${shown(second.text)}`, usage);
  if (typeof found?.reason !== "string" || found.reason.trim() === "")
    throw new JudgeFailed("the judge gave no reason", usage);
  return { score: score / maxScore, reason: found.reason, usage };
}

function lineObject(text: string, pattern: RegExp): Readonly<Record<string, unknown>> | undefined {
  const source = pattern.exec(text)?.[0];
  const found = source === undefined ? undefined : parsedOr(source);
  return isMembers(found) ? found : undefined;
}

const gEval: Checker = (check) =>
  judged(async () => {
    const criteria = (Array.isArray(check.value) ? check.value : [check.value]) as unknown[];
    need(
      criteria.every((one) => typeof one === "string"),
      "g-eval needs a text or a list of texts as its value",
    );
    need(check.prompt, "g-eval needs a prompt");
    if (criteria.length === 0) return { pass: false, score: 0, reason: "g-eval needs at least one criterion" };
    const usage: JudgeUsage[] = [];
    const grades: { score: number; reason: string }[] = [];
    for (const one of criteria) {
      const grade = await gEvalOnce(check, one as string);
      usage.push(...grade.usage);
      grades.push(grade);
    }
    const score = grades.reduce((sum, one) => sum + one.score, 0) / grades.length;
    const pass = score >= (check.assertion.threshold ?? 0.7) !== check.isNegated;
    const reason = grades.map((one) => one.reason).join("\n\n");
    return { pass, score: check.isNegated ? 1 - score : score, reason, usage };
  });

const usualWindow = 5;

const conversationRelevance: Checker = (check) =>
  judged(async () => {
    const { _conversation: given } = check.vars;
    const turns = (
      Array.isArray(given) && given.length > 0 ? given : [{ input: check.prompt, output: check.text }]
    ) as unknown[];
    need(check.prompt !== undefined || turns.length > 1, "conversation-relevance needs a prompt");
    const window = Number(check.assertion.config?.windowSize) || usualWindow;
    const usage: JudgeUsage[] = [];
    let relevant = 0;
    const reasons: string[] = [];
    for (const index of turns.keys()) {
      const messages = turns.slice(Math.max(0, index - window + 1), index + 1);
      const prompt = await rubricPrompt(check, judgePrompts.conversationRelevance);
      const answer = await askForText(check, prompt, { ...check.vars, messages });
      usage.push(...answer.usage);
      const found = jsonObjectsIn(answer.text)[0] as Readonly<Record<string, unknown>> | undefined;
      if (found?.verdict !== "yes" && found?.verdict !== "no")
        throw new JudgeFailed("the judge gave no verdict", usage);
      if (found.verdict === "yes") relevant += 1;
      else reasons.push(String(found.reason ?? ""));
    }
    const score = relevant / turns.length;
    const pass = score >= (check.assertion.threshold ?? 0.5) - Number.EPSILON !== check.isNegated;
    const reason = [`${relevant} of ${turns.length} replies are relevant`, ...reasons].join("; ");
    return { pass, score: check.isNegated ? 1 - score : score, reason, usage };
  });

export const judgedAssertions: Readonly<Record<string, Checker>> = {
  "llm-rubric": rubric(judgePrompts.rubric),
  "agent-rubric": rubric(judgePrompts.agentRubric),
  "search-rubric": searchRubric,
  factuality,
  "model-graded-factuality": factuality,
  "model-graded-closedqa": closedQa,
  "g-eval": gEval,
  "conversation-relevance": conversationRelevance,
  "trajectory:goal-success": goalSuccess,
};
