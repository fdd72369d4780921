/** Expectations about tool calls. */
import { z } from "zod";
import { defineExpectation, type ExpectationType } from "../define-expectation.ts";
import { failing, type Verdict } from "../outcome.ts";
import { isObject, type Members, type OutputReader, shown, wrongType } from "../output-reader.ts";
import { compilePattern, PatternFault } from "../pattern.ts";
import { normalText } from "../text-measures.ts";

const toolName = z.string().min(1, "name the tool");
/** Strings inside are patterns, compiled at load so that invalid ones are found there. */
const wantedInput = z.unknown().superRefine((wanted, context) => {
  try {
    compileTexts(wanted);
  } catch (error) {
    if (!(error instanceof PatternFault)) throw error;
    context.addIssue({ code: "custom", message: error.message });
  }
});

interface Call {
  readonly name: string;
  readonly input: unknown;
  readonly place: string;
}

function readCalls(output: OutputReader): Call[] {
  const { value, place } = output.objects("tool_calls");
  return value.map((call, index) => {
    const at = `${place}[${index}]`;
    if (typeof call.name !== "string") throw wrongType({ value: call.name, place: `${at}.name` }, "a string");
    return { name: call.name, input: call.input, place: at };
  });
}

/** A deep, partial match: a string is a pattern in the value's text; each element of a list must match some element. */
function contains(value: unknown, wanted: unknown): boolean {
  if (typeof wanted === "string") {
    if (wanted === "") return true;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return text !== undefined && compilePattern(wanted).find(normalText(text)) !== undefined;
  }
  if (Array.isArray(wanted)) {
    return Array.isArray(value) && wanted.every((one) => value.some((element) => contains(element, one)));
  }
  if (isObject(wanted)) {
    return (
      isObject(value) &&
      Object.entries(wanted).every(([key, one]) => Object.hasOwn(value, key) && contains(value[key], one))
    );
  }
  return value === wanted;
}

function compileTexts(wanted: unknown): void {
  if (typeof wanted === "string" && wanted !== "") compilePattern(wanted);
  else if (Array.isArray(wanted)) wanted.forEach(compileTexts);
  else if (isObject(wanted)) Object.values(wanted as Members).forEach(compileTexts);
}

function wasCalled(calls: readonly Call[], tool: string, wanted: unknown, required: boolean): Verdict {
  const same = calls.filter(({ name }) => name === tool);
  const matching = same.find(({ input }) => wanted === undefined || contains(input, wanted));
  const expected = { tool, ...(wanted === undefined ? {} : { input_contains: wanted }) };
  const names = calls.map(({ name }) => name);
  if (matching) {
    return {
      passed: true,
      message: `${tool} was called`,
      expected,
      actual: matching.input ?? null,
      place: matching.place,
    };
  }
  if (same.length > 0) {
    return {
      passed: false,
      message: `${tool} was called ${same.length} time(s), never with ${shown(wanted)}`,
      expected,
      actual: same.map(({ input }) => input ?? null),
      place: same[0]?.place,
    };
  }
  const message =
    names.length > 0
      ? `${tool} was not called; the calls were: ${names.join(", ")}`
      : `${tool} was not called; there were no calls`;
  return { passed: !required, message, expected, actual: names, place: "output.tool_calls" };
}

export const toolCalls: readonly ExpectationType[] = [
  defineExpectation({
    type: "tool_called",
    category: "Tool calling",
    reads: "output.tool_calls[] {name, input}",
    passes: "some call has that name and, if given, its input contains `input_contains`",
    notes:
      "one matching call is enough; the match is deep and partial: a string is a pattern in the value's text, numbers and booleans must be equal, each element of a list must match some element. With `required: false`, an output without the call passes, but if the tool was called, one call must match",
    parameters: z.strictObject({
      tool: toolName,
      required: z.boolean().default(true),
      input_contains: wantedInput.optional(),
    }),
    check: ({ tool, required, input_contains }, output) => wasCalled(readCalls(output), tool, input_contains, required),
  }),
  defineExpectation({
    type: "tool_not_called",
    category: "Tool calling",
    reads: "output.tool_calls[]",
    passes: "no call has that name",
    notes: "an output without `tool_calls` fails; report `[]`",
    parameters: z.strictObject({ tool: toolName }),
    check({ tool }, output) {
      const calls = readCalls(output);
      const call = calls.find(({ name }) => name === tool);
      if (call)
        throw failing(`${tool} was called with ${shown(call.input)}`, {
          expected: { not: tool },
          actual: call.input ?? null,
          place: call.place,
        });
      return {
        passed: true,
        message: `${tool} was not called`,
        expected: { not: tool },
        actual: calls.map(({ name }) => name),
        place: "output.tool_calls",
      };
    },
  }),
];
