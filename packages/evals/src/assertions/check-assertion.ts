/**
 * Checks one assertion against an output.
 *
 * - `checkAssertion(assertion, input, tools)` applies its transform, fills the variables into its value, or gets the value
 *   from the script that it names, and checks it. Throws if the check cannot run.
 */
import { CodeFailure } from "../code/index.ts";
import { renderTemplate } from "../template/index.ts";
import {
  type Assertion,
  type AssertionInput,
  type AssertionTools,
  CannotCheck,
  type Check,
  type Grade,
  isMembers,
  textOf,
} from "./assertion.ts";
import { baseTypeOf, checkerOf } from "./registry.ts";
import { callFile, readPlainFile, splitReference } from "./suite-file.ts";
import { transformed } from "./transform.ts";
import { codeContext } from "./types/code.ts";

const codeTypes = new Set(["javascript", "python", "ruby"]);

export async function checkAssertion(
  assertion: Assertion,
  input: AssertionInput,
  tools: AssertionTools,
): Promise<Grade> {
  const baseType = baseTypeOf(assertion.type);
  const checker = checkerOf(baseType);
  if (!checker) throw new CannotCheck(`unknown assertion "${assertion.type}"`);
  const output = assertion.transform ? await outputAfter(assertion.transform, input, tools) : input.output;
  const text = textOf(output);
  const isNegated = assertion.type.startsWith("not-");
  const partial = { ...input, assertion, baseType, isNegated, output, text, tools, scripted: undefined };
  const found = await valueOfAssertion(partial);
  if ("grade" in found) return { ...found.grade, assertion };
  const check: Check = { ...partial, ...found };
  const grade = await checker(check);
  // A weight of 0 makes an assertion a measurement: it never fails.
  return { ...grade, ...(assertion.weight === 0 ? { pass: true } : {}), assertion: grade.assertion ?? assertion };
}

async function outputAfter(code: unknown, { output, vars, prompt, answered }: AssertionInput, tools: AssertionTools) {
  const about = { vars, prompt: { label: prompt }, ...(answered.metadata ? { metadata: answered.metadata } : {}) };
  return await transformed(code, output, about, tools);
}

type FoundValue = Pick<Check, "value" | "scripted"> | { readonly grade: Grade };

async function valueOfAssertion(check: Omit<Check, "value">): Promise<FoundValue> {
  const { assertion, tools, vars, baseType, output } = check;
  const { value } = assertion;
  const render = (text: string): string => renderTemplate(text, vars, { env: tools.env });
  if (typeof value === "string" && value.startsWith("file://")) {
    const at = splitReference(value, tools.folder);
    try {
      const called = await callFile(at, "get_assert", tools, [output, codeContext(check)]);
      if (!called) return { value: await readPlainFile(at.path), scripted: undefined };
      if (!codeTypes.has(baseType)) refuseVerdict(called.value, assertion.type);
      return { value: codeTypes.has(baseType) ? value : called.value, scripted: called };
    } catch (error) {
      const isFailure = error instanceof CodeFailure && (codeTypes.has(baseType) || !/\.[cm]?[jt]s$/.test(at.path));
      if (!isFailure) throw error;
      return { grade: { pass: false, score: 0, reason: `${value} failed: ${error.message}` } };
    }
  }
  if (typeof value === "string") return { value: render(value), scripted: undefined };
  if (!Array.isArray(value)) return { value, scripted: undefined };
  const items: unknown[] = [];
  for (const one of value as unknown[]) {
    if (typeof one !== "string") items.push(one);
    else if (one.startsWith("file://")) items.push(await readPlainFile(splitReference(one, tools.folder).path));
    else items.push(render(one));
  }
  return { value: items, scripted: undefined };
}

/** Only code assertions return verdicts; for others, a script returns the value to compare with. */
function refuseVerdict(value: unknown, type: string): void {
  if (typeof value === "boolean" || (isMembers(value) && "pass" in value)) {
    throw new CannotCheck(`the script of ${type} returned a verdict; it must return the value to compare with`);
  }
}
