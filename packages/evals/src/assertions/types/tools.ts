/** Assertions on the tools, functions and skills that a model used. */
import { SchemaFault, validatorFor } from "@devflow/json-schema";
import { type Check, type Checker, type Grade, isMembers, need, round } from "../assertion.ts";
import { matchesName } from "../name-pattern.ts";
import { toolNamesIn } from "../tool-names.ts";

const toolCallF1: Checker = ({ value, output, assertion, isNegated }) => {
  const names = Array.isArray(value) ? value.map(String) : typeof value === "string" ? value.split(",") : [];
  const expected = new Set(names.map((name) => name.trim()).filter(Boolean));
  need(expected.size > 0, "tool-call-f1 needs the names of tools as its value");
  const actual = toolNamesIn(output);
  const right = [...expected].filter((name) => actual.has(name)).length;
  const [precision, recall] = [actual.size > 0 ? right / actual.size : 0, right / expected.size];
  const score = precision + recall > 0 ? (2 * precision * recall) / (precision + recall) : 0;
  const pass = score >= (assertion.threshold ?? 1) !== isNegated;
  const called = [...actual].sort().join(", ") || "none";
  return { pass, score, reason: `F1 ${round(score)}: expected ${[...expected].sort().join(", ")}; called ${called}` };
};

interface SkillCall {
  readonly name: string;
}

const skillUsed: Checker = (check) => {
  const { value, answered, isNegated } = check;
  const calls = (Array.isArray(answered.metadata?.skillCalls) ? answered.metadata.skillCalls : []).filter(
    (call): call is SkillCall => isMembers(call) && typeof call.name === "string" && call.is_error !== true,
  );
  const used = calls.map(({ name }) => name).join(", ") || "none";
  const names = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === "string" && one.trim() !== "");
  if (!isMembers(value)) {
    const isList = names.length > 0 && (typeof value === "string" || names.length === (value as unknown[]).length);
    need(isList, "skill-used needs a name, a list of names or an object as its value");
    const found = names.filter((one) => calls.some(({ name }) => name === (one as string).trim()));
    const pass = isNegated ? found.length === 0 : found.length === names.length;
    return { pass, score: pass ? 1 : 0, reason: `expected ${names.join(", ")}; used ${used}` };
  }
  const { name, pattern, min, max } = value as { name?: string; pattern?: string; min?: number; max?: number };
  need(name?.trim() || pattern?.trim(), "skill-used needs a name or a pattern");
  for (const bound of [min, max])
    need(
      bound === undefined || (Number.isInteger(bound) && bound >= 0),
      "skill-used needs whole numbers as min and max",
    );
  need(min === undefined || max === undefined || min <= max, "skill-used has min above max");
  const count = calls.filter(
    (call) =>
      (!name?.trim() || call.name === name.trim()) && (!pattern?.trim() || matchesName(call.name, pattern.trim())),
  ).length;
  if (isNegated)
    need(min === undefined && (max === undefined || max === 0), "not-skill-used takes no min, and no max but 0");
  const least = min ?? (max === undefined ? 1 : 0);
  const pass = isNegated ? count === 0 : count >= least && (max === undefined || count <= max);
  return { pass, score: pass ? 1 : 0, reason: `${name ?? pattern} was used ${count} times; used ${used}` };
};

interface FunctionSchema {
  readonly name?: unknown;
  readonly parameters?: unknown;
}

/** Why the call does not fit the functions of the provider. */
function callFault(call: unknown, functions: unknown): string | undefined {
  const given = isMembers(call) && isMembers(call.function_call) ? call.function_call : call;
  if (!isMembers(given) || typeof given.name !== "string" || typeof given.arguments !== "string") {
    return "the output is not a function call";
  }
  const known = (Array.isArray(functions) ? functions : []) as FunctionSchema[];
  const schema = known.find((one) => isMembers(one) && one.name === given.name)?.parameters;
  if (!schema) return `the provider has no function ${given.name}`;
  try {
    const faults = validatorFor(schema)(JSON.parse(given.arguments));
    return faults.length === 0 ? undefined : `the arguments of ${given.name} do not fit: ${JSON.stringify(faults[0])}`;
  } catch (error) {
    if (error instanceof SchemaFault) return `the parameters of ${given.name} cannot be used: ${error.message}`;
    return `the arguments of ${given.name} are not JSON`;
  }
}

const graded = (fault: string | undefined): Grade => ({
  pass: fault === undefined,
  score: fault === undefined ? 1 : 0,
  reason: fault ?? "passed",
});

/** Google's calls are lists of `{ functionCall }`; their functions are inside the tools. */
function googleFault(output: unknown, { answered }: Check): string | undefined {
  const value = typeof output === "string" ? (JSON.parse(output) as unknown) : output;
  const calls =
    isMembers(value) && isMembers(value.toolCall)
      ? value.toolCall.functionCalls
      : Array.isArray(value)
        ? value.filter(isMembers).flatMap((one) => (isMembers(one.functionCall) ? [one.functionCall] : []))
        : undefined;
  if (!Array.isArray(calls)) return "the output is not a function call";
  const tools = (Array.isArray(answered.providerConfig?.tools) ? answered.providerConfig.tools : []).filter(isMembers);
  const functions = tools.flatMap((tool) =>
    Array.isArray(tool.functionDeclarations) ? tool.functionDeclarations : [],
  );
  for (const call of calls.filter(isMembers)) {
    const fault = callFault({ name: call.name, arguments: JSON.stringify(call.args ?? {}) }, functions);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

const functionCall: Checker = (check) => {
  const { output, answered } = check;
  const functions = answered.providerConfig?.functions;
  if (functions !== undefined || (isMembers(output) && ("function_call" in output || "arguments" in output))) {
    return graded(callFault(output, functions));
  }
  try {
    return graded(googleFault(output, check));
  } catch {
    return graded("the output is not a function call");
  }
};

const toolsCall: Checker = ({ output, answered }) => {
  const text = typeof output === "string" ? output : JSON.stringify(output);
  if (text.includes("MCP Tool Error")) return graded("a tool of MCP failed");
  if (text.includes("MCP Tool Result")) return graded(undefined);
  const calls = isMembers(output) && "tool_calls" in output ? output.tool_calls : output;
  const areCalls =
    Array.isArray(calls) &&
    calls.length > 0 &&
    calls.every(
      (call) =>
        isMembers(call) &&
        isMembers(call.function) &&
        typeof call.function.name === "string" &&
        typeof call.function.arguments === "string",
    );
  if (!areCalls) return graded("the output is not a list of tool calls");
  const tools = answered.providerConfig?.tools;
  if (!Array.isArray(tools)) return graded("the provider has no tools");
  const functions = tools.flatMap((tool) => (isMembers(tool) && tool.type === "function" ? [tool.function] : []));
  const faults = (calls as { function: unknown }[]).map((call) => callFault(call.function, functions));
  return graded(faults.find((fault) => fault !== undefined));
};

export const toolAssertions: Readonly<Record<string, Checker>> = {
  "tool-call-f1": toolCallF1,
  "skill-used": skillUsed,
  "is-valid-function-call": functionCall,
  "is-valid-openai-function-call": functionCall,
  "is-valid-openai-tools-call": toolsCall,
};
