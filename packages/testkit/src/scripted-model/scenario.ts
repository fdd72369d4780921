/**
 * What a scripted model answers: a scenario, as YAML, JSON or an object. The README explains the format.
 *
 * - `parseScenario(content, values)` fills `{{name}}` from `values` and validates; one error lists every problem.
 * - `readScenario(file, values)` the same for a `.yaml`, `.yml` or `.json` file.
 */
import { readFileSync } from "node:fs";
import { DevflowError } from "@devflow/core/errors";
import { parseDocument } from "yaml";
import { z } from "zod";

const protocols = ["anthropic", "responses", "chat", "gemini"] as const;
export type Protocol = (typeof protocols)[number];

/** Broken answers, to test clients. */
const malformations = ["broken-sse", "cut", "invalid-json", "reset"] as const;

/** What gets its own copy of the steps, so that several agents can follow one script at once. */
const separations = ["conversation", "key"] as const;

/** Contained in the text; `/…/` is a regular expression. */
const textMatch = z.string().min(1).refine(isUsablePattern, "is not a valid regular expression");
const milliseconds = z.int().min(0).max(600_000);
const wrap = (key: string) => (value: unknown) =>
  typeof value === "string" || typeof value === "number" ? { [key]: value } : value;

const match = z.strictObject({
  protocol: z.enum(protocols).optional(),
  model: textMatch.optional(),
  system: textMatch.optional(),
  userText: textMatch.optional(),
  nth: z.int().min(1).optional(),
  toolResult: z.boolean().optional(),
  toolResultText: textMatch.optional(),
  apiKey: z.string().min(1).optional(),
  background: z.boolean().optional(),
});

const toolCall = z
  .strictObject({
    name: z.string().min(1),
    arguments: z.record(z.string(), z.unknown()).optional(),
    input: z.string().optional(),
    id: z.string().min(1).optional(),
  })
  .refine((call) => (call.arguments === undefined) !== (call.input === undefined), {
    message: "takes either arguments (names and values) or input (one text)",
  });

const usage = z.strictObject({
  input: z.int().min(0).optional(),
  output: z.int().min(0).optional(),
  cacheRead: z.int().min(0).optional(),
  cacheWrite: z.int().min(0).optional(),
  reasoning: z.int().min(0).optional(),
});

const piece = z.preprocess(wrap("text"), z.strictObject({ text: z.string(), afterMs: milliseconds.optional() }));

const answer = z
  .strictObject({
    text: z.preprocess((value) => (typeof value === "string" ? [value] : value), z.array(piece)).optional(),
    tools: z.array(toolCall).min(1).optional(),
    usage: usage.optional(),
    stopReason: z.string().min(1).optional(),
    afterMs: milliseconds.optional(),
    headers: z.record(z.string(), z.string()).optional(),
    hang: z.preprocess(
      (value) => (value === true ? {} : wrap("ms")(value)),
      z.strictObject({ ms: milliseconds.optional() }).optional(),
    ),
    error: z.preprocess(
      wrap("status"),
      z
        .strictObject({
          status: z.int().min(400).max(599),
          type: z.string().optional(),
          message: z.string().optional(),
          headers: z.record(z.string(), z.string()).optional(),
          inStream: z.boolean().optional(),
        })
        .optional(),
    ),
    malformed: z.enum(malformations).optional(),
  })
  .refine((one) => one.text || one.tools || one.error || one.hang || one.malformed, {
    message: "says nothing: give it text, tools, error, hang or malformed",
  })
  .refine((one) => !one.error || !(one.tools || one.hang || one.malformed || (one.text && !one.error.inStream)), {
    message: "an error excludes everything else (with inStream: true, text may come before it)",
  });

const step = z.strictObject({
  name: z.string().min(1).optional(),
  match: match.optional(),
  times: z.preprocess((value) => (value === "always" ? Number.MAX_SAFE_INTEGER : value), z.int().min(1)).default(1),
  answer,
});

const session = z.strictObject({
  name: z.string().min(1),
  when: z
    .strictObject({ apiKey: z.string().min(1), system: textMatch, firstUserText: textMatch })
    .partial()
    .refine((one) => Object.keys(one).length > 0, "names nothing: give it apiKey, system or firstUserText"),
  each: z.enum(separations).optional(),
  steps: z.array(step).min(1),
});

const scenario = z
  .strictObject({
    name: z.string().optional(),
    steps: z.array(step).default([]),
    each: z.enum(separations).optional(),
    sessions: z.array(session).default([]),
    background: answer.optional(),
    otherwise: answer.optional(),
  })
  .refine((one) => one.steps.length + one.sessions.length > 0 || one.otherwise, "has no steps, sessions or otherwise");

export type Scenario = z.output<typeof scenario>;
export type ScenarioInput = z.input<typeof scenario>;
export type ScenarioStep = z.output<typeof step>;
export type ScenarioMatch = z.output<typeof match>;
export type Answer = z.output<typeof answer>;
export type ToolCall = z.output<typeof toolCall>;

export type ScenarioValues = Readonly<Record<string, string | number>>;

export function readScenario(file: string, values: ScenarioValues = {}): Scenario {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw invalid(file, [(cause as Error).message], cause);
  }
  const document = parseDocument(text, { prettyErrors: true });
  if (document.errors.length > 0)
    throw invalid(
      file,
      document.errors.map(({ message }) => message.split("\n")[0] ?? ""),
    );
  return parseScenario(document.toJS(), values, file);
}

export function parseScenario(content: unknown, values: ScenarioValues = {}, file = "the scenario"): Scenario {
  const missing = new Set<string>();
  const filled = fill(content, values, missing);
  const faults = [...missing].map((name) => `{{${name}}} has no value`);
  const parsed = scenario.safeParse(filled);
  if (parsed.success && faults.length === 0) return parsed.data;
  for (const issue of parsed.error?.issues ?? [])
    faults.push(`${issue.path.join(".") || "scenario"}: ${issue.message}`);
  throw invalid(file, faults);
}

export function matchesText(pattern: string, text: string): boolean {
  const expression = asExpression(pattern);
  return expression ? expression.test(text) : text.includes(pattern);
}

/** The named groups of a regular expression in `text`. */
export function capturedIn(pattern: string, text: string): Readonly<Record<string, string>> {
  return asExpression(pattern)?.exec(text)?.groups ?? {};
}

/** `$<name>` anywhere in an answer stands for what the step's `userText` captured. */
export function withCaptures<T>(content: T, captured: Readonly<Record<string, string>>): T {
  if (typeof content === "string")
    return content.replace(/\$<(\w+)>/g, (whole, name: string) => captured[name] ?? whole) as T;
  if (Array.isArray(content)) return content.map((one) => withCaptures(one, captured)) as T;
  if (content === null || typeof content !== "object") return content;
  return Object.fromEntries(Object.entries(content).map(([key, value]) => [key, withCaptures(value, captured)])) as T;
}

function fill(content: unknown, values: ScenarioValues, missing: Set<string>): unknown {
  if (typeof content === "string") {
    return content.replace(/\{\{\s*(\w+)\s*\}\}/g, (whole, name: string) => {
      if (Object.hasOwn(values, name)) return String(values[name]);
      missing.add(name);
      return whole;
    });
  }
  if (Array.isArray(content)) return content.map((one) => fill(one, values, missing));
  if (content && typeof content === "object") {
    return Object.fromEntries(Object.entries(content).map(([key, value]) => [key, fill(value, values, missing)]));
  }
  return content;
}

function asExpression(pattern: string): RegExp | undefined {
  const written = /^\/(.+)\/([imsu]*)$/s.exec(pattern);
  return written?.[1] ? new RegExp(written[1], written[2]) : undefined;
}

function isUsablePattern(pattern: string): boolean {
  try {
    asExpression(pattern);
    return true;
  } catch {
    return false;
  }
}

function invalid(file: string, faults: readonly string[], cause?: unknown): DevflowError {
  const problem = `${file} is not a scenario:\n${faults.map((fault) => `  ${fault}`).join("\n")}`;
  return new DevflowError("input_invalid", {
    details: { problem, next: "The format: packages/testkit/README.md" },
    ...(cause === undefined ? {} : { cause }),
  });
}
