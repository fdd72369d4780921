/** Assertions that are code: JavaScript, Python, Ruby, and a server of the suite's own. */
import { CodeFailure, callScript, type ScriptLanguage } from "../../code/index.ts";
import { type Check, type Checker, type Grade, isMembers, need } from "../assertion.ts";

/** What code sees besides the output. */
export function codeContext({
  prompt,
  vars,
  test,
  answered,
  assertion,
}: Omit<Check, "value">): Record<string, unknown> {
  const { logProbs, metadata, trace, providerConfig, untransformed: _, ...rest } = answered;
  return {
    prompt,
    vars,
    test,
    logProbs,
    provider: { config: providerConfig },
    providerResponse: { ...rest, logProbs, metadata },
    ...(assertion.config ? { config: assertion.config } : {}),
    ...(metadata ? { metadata } : {}),
    ...(trace ? { trace } : {}),
  };
}

function isGrade(value: unknown): value is Grade {
  return (
    isMembers(value) &&
    typeof value.pass === "boolean" &&
    typeof value.score === "number" &&
    typeof value.reason === "string" &&
    ["undefined", "object"].includes(typeof value.namedScores) &&
    (value.componentResults === undefined || Array.isArray(value.componentResults))
  );
}

/** A verdict, a number or a whole grade. */
function gradeOf(value: boolean | number | Grade, { assertion, isNegated }: Check): Grade {
  if (typeof value === "boolean") {
    const pass = value !== isNegated;
    return { pass, score: pass ? 1 : 0, reason: pass ? "passed" : `the code returned ${value}` };
  }
  if (typeof value === "number") {
    const holds = assertion.threshold === undefined ? value > 0 : value >= assertion.threshold;
    return { pass: holds !== isNegated, score: value, reason: `the code returned ${value}` };
  }
  const pass = value.pass !== isNegated;
  return { ...value, pass, reason: pass === value.pass ? value.reason : `the code returned ${value.pass}` };
}

const failed = (reason: string): Grade => ({ pass: false, score: 0, reason });

/** Whatever the code throws is a failure; a limit that it hits is an ERROR. */
async function graded(work: () => Promise<Grade>): Promise<Grade> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CodeFailure) return failed(`the code failed: ${error.message}`);
    throw error;
  }
}

const javascript: Checker = (check) =>
  graded(async () => {
    const { value: source, output, tools, scripted } = check;
    if (!scripted && typeof source !== "string") return failed("javascript needs a text as its value");
    const value = scripted
      ? scripted.value
      : await tools.code.run(inlineJob(source as string, output, codeContext(check)));
    const isUsable = typeof value === "boolean" || typeof value === "number" || isGrade(value);
    if (!isUsable) {
      return failed(
        `the code must return true, false, a number, or { pass, score, reason }; it returned ${JSON.stringify(value)}`,
      );
    }
    return gradeOf(value, check);
  });

const inlineJob = (source: string, output: unknown, context: unknown) => ({
  kind: "inline" as const,
  parameters: ["output", "context"],
  body: functionBody(source.trimEnd()),
  args: [output, context],
});

/** One line is an expression, or declarations followed by one. */
function functionBody(source: string): string {
  if (source.includes("\n")) return source;
  const line = source.trim().replace(/;+\s*$/, "");
  if (!/^(?:const|let|var)\s/.test(line)) return `return ${line}`;
  const last = lastSemicolon(line);
  const expression = line.slice(last + 1).trim();
  return last === -1 || expression === "" ? line : `${line.slice(0, last + 1)} return ${expression}`;
}

/** Outside of strings. */
function lastSemicolon(line: string): number {
  const bare = line.replace(/(["'`])(?:\\.|(?!\1).)*\1/g, (literal) => "_".repeat(literal.length));
  return bare.lastIndexOf(";");
}

function script(language: ScriptLanguage): Checker {
  return async (check) => {
    const { value: source, output, tools, scripted } = check;
    need(scripted || typeof source === "string", `${language} needs a text as its value`);
    return await graded(async () => {
      const value = scripted
        ? scripted.value
        : await callScript(
            language,
            { code: program(language, source as string) },
            "main",
            [output, codeContext(check)],
            tools,
          );
      return scriptGrade(value, check, language);
    });
  };
}

function program(language: ScriptLanguage, source: string): string {
  const isLong = source.includes("\n");
  const indent = (isLong && /^(?!\s*$)\s+/m.exec(source)?.[0]) || (language === "python" ? "    " : "  ");
  const body = isLong
    ? source
        .split("\n")
        .map((line) => indent + line)
        .join("\n")
    : `${indent}return ${source}`;
  return language === "python"
    ? `import json\n\ndef main(output, context):\n${body}\n`
    : `require 'json'\n\ndef main(output, context)\n${body}\nend\n`;
}

function scriptGrade(value: unknown, check: Check, language: string): Grade {
  const word = typeof value === "string" ? value.toLowerCase() : undefined;
  if (value === true || word === "true") return gradeOf(true, check);
  if (value === false || word === "false") return gradeOf(false, check);
  const object = typeof value === "string" && value.startsWith("{") ? parsed(value) : value;
  if (typeof object === "object" && object !== null) {
    const grade = camelCased(object as Readonly<Record<string, unknown>>);
    if (!isGrade(grade)) return failed(`${language} must return a verdict, a number, or { pass, score, reason }`);
    const { threshold } = check.assertion;
    const isBelow = threshold !== undefined && grade.score < threshold;
    return gradeOf(
      isBelow ? { ...grade, pass: false, reason: `the score ${grade.score} is below ${threshold}` } : grade,
      check,
    );
  }
  const number = Number.parseFloat(String(value));
  if (Number.isNaN(number)) return failed(`${language} must return a verdict, a number, or { pass, score, reason }`);
  return gradeOf(number, check);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const snakeNames = { pass_: "pass", named_scores: "namedScores", component_results: "componentResults" } as const;

function camelCased(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const made: Record<string, unknown> = { ...value };
  for (const [snake, camel] of Object.entries(snakeNames))
    if (snake in made && !(camel in made)) made[camel] = made[snake];
  if (Array.isArray(made.componentResults)) {
    made.componentResults = made.componentResults.map((one) => (isMembers(one) ? camelCased(one) : (one as unknown)));
  }
  return made;
}

const webhookTimeoutMs = 5_000;

const webhook: Checker = async ({ value, output, prompt, vars, isNegated, tools }) => {
  need(typeof value === "string" && value !== "", "webhook needs a URL as its value");
  try {
    const response = await (tools.fetch ?? fetch)(value, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ output, context: { prompt, vars } }),
      signal: AbortSignal.any([tools.signal, AbortSignal.timeout(webhookTimeoutMs)]),
    });
    if (!response.ok) return failed(`the webhook answered ${response.status}`);
    const answer = (await response.json()) as { pass?: unknown; score?: number; reason?: string };
    if (typeof answer.pass !== "boolean") return failed('the webhook must answer with JSON that has "pass"');
    const pass = answer.pass !== isNegated;
    const score = answer.score === undefined ? (pass ? 1 : 0) : isNegated ? 1 - answer.score : answer.score;
    return { pass, score, reason: answer.reason || (pass ? "passed" : `the webhook answered ${answer.pass}`) };
  } catch (error) {
    tools.signal.throwIfAborted();
    return failed(`the webhook failed: ${(error as Error).message}`);
  }
};

export const codeAssertions: Readonly<Record<string, Checker>> = {
  javascript,
  python: script("python"),
  ruby: script("ruby"),
  webhook,
};
