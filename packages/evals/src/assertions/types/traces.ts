/** Assertions on the spans of a trace, and on the steps of an agent that they describe. */
import { isDeepStrictEqual } from "node:util";
import { type Check, type Checker, isMembers, need, type Trace, type TraceSpan, yesOrNo } from "../assertion.ts";
import { matchesName } from "../name-pattern.ts";
import { type Matcher, matcherOf, matchesStep, type Step, trajectoryOf } from "../trajectory.ts";

export function traceOf({ answered, baseType }: Check): Trace {
  const { trace } = answered;
  need(trace && Array.isArray(trace.spans), `${baseType} needs a trace, and the output has none`);
  return trace;
}

/** `not-` does not change what these three say. */
const plain = (holds: boolean, reason: string) => ({ pass: holds, score: holds ? 1 : 0, reason });

const spanCount: Checker = (check) => {
  const { spans } = traceOf(check);
  const { value } = check.assertion;
  need(
    isMembers(value) && typeof value.pattern === "string" && value.pattern !== "",
    "trace-span-count needs a pattern",
  );
  const { pattern, min, max } = value as { pattern: string; min?: number; max?: number };
  const count = spans.filter(({ name }) => matchesName(name, pattern)).length;
  return plain(
    (min === undefined || count >= min) && (max === undefined || count <= max),
    `${count} spans match ${pattern}`,
  );
};

const spanDuration: Checker = (check) => {
  const { spans } = traceOf(check);
  const { value } = check.assertion;
  need(isMembers(value) && typeof value.max === "number", "trace-span-duration needs max in milliseconds");
  const { pattern = "*", max, percentile } = value as { pattern?: string; max: number; percentile?: number };
  need(percentile === undefined || (percentile >= 0 && percentile <= 100), "percentile must be between 0 and 100");
  const durations = spans
    .filter((span) => matchesName(span.name, pattern) && span.startTime !== undefined && span.endTime !== undefined)
    .map(({ startTime, endTime }) => (endTime as number) - startTime)
    .sort((a, b) => a - b);
  if (durations.length === 0) return plain(true, `no span matches ${pattern}`);
  const index = percentile === undefined ? durations.length - 1 : Math.ceil((percentile / 100) * durations.length) - 1;
  const found = durations[Math.max(0, index)] as number;
  return plain(
    found <= max,
    `${percentile === undefined ? "the slowest span" : `percentile ${percentile}`} took ${found} ms`,
  );
};

function isErrorSpan({ statusCode, statusMessage, attributes = {} }: TraceSpan): boolean {
  if (statusCode === 2 || (statusCode ?? 0) >= 400) return true;
  const isMarked = ["error", "exception", "failed", "failure"].some((key) => {
    const value = attributes[key];
    return value === true || value === "true" || (typeof value === "object" && value !== null);
  });
  const http = attributes["http.status_code"];
  const isHttpError = http !== undefined && http !== null && Number(http) >= 400;
  const isOtelError = attributes["otel.status_code"] === "ERROR" || attributes["status.code"] === "ERROR";
  return (
    isMarked || isHttpError || isOtelError || /error|failed|failure|exception|timeout|abort/i.test(statusMessage ?? "")
  );
}

const errorSpans: Checker = (check) => {
  const { spans } = traceOf(check);
  const { value } = check.assertion;
  const given = (isMembers(value) ? value : {}) as { max_count?: number; max_percentage?: number; pattern?: string };
  const pattern = given.pattern || "*";
  const percentage = given.max_percentage;
  const most = typeof value === "number" ? value : (given.max_count ?? (percentage === undefined ? 0 : undefined));
  const matching = spans.filter(({ name }) => matchesName(name, pattern));
  if (matching.length === 0) return plain(true, `no span matches ${pattern}`);
  const errors = matching.filter(isErrorSpan).length;
  const holds =
    (most === undefined || errors <= most) &&
    (percentage === undefined || (errors / matching.length) * 100 <= percentage);
  return plain(holds, `${errors} of ${matching.length} spans failed`);
};

const toolSteps = (check: Check): Step[] => trajectoryOf(traceOf(check)).filter(({ type }) => type === "tool");
const shown = (steps: readonly Step[]): string => steps.map(({ name }) => name).join(", ") || "none";

function named(matcher: Matcher, type: string): Matcher {
  need(matcher.name || matcher.pattern, `${type} needs a name or a pattern`);
  return matcher;
}

const toolUsed: Checker = (check) => {
  const steps = toolSteps(check);
  const { value, isNegated } = check;
  const list = typeof value === "string" ? [value] : value;
  if (Array.isArray(list)) {
    need(list.length > 0 && list.every((one) => typeof one === "string"), "trajectory:tool-used needs names of tools");
    const found = list.filter((one) => steps.some((step) => matchesStep(step, matcherOf(one, "tool")))).length;
    const pass = isNegated ? found === 0 : found === list.length;
    return { pass, score: pass ? 1 : 0, reason: `expected ${list.join(", ")}; used ${shown(steps)}` };
  }
  need(isMembers(value), "trajectory:tool-used needs a text, a list of texts or an object as its value");
  const matcher = named(matcherOf(value, "tool"), "trajectory:tool-used");
  const count = steps.filter((step) => matchesStep(step, matcher)).length;
  const most = typeof matcher.max === "number" ? matcher.max : Number.POSITIVE_INFINITY;
  const least = typeof matcher.min === "number" ? matcher.min : 1;
  return yesOrNo(count >= least && count <= most, check, `${count} calls match; used ${shown(steps)}`);
};

const toolSequence: Checker = (check) => {
  const steps = toolSteps(check);
  const { value } = check;
  need(Array.isArray(value) || isMembers(value), "trajectory:tool-sequence needs a list or an object as its value");
  const given = (Array.isArray(value) ? value : Array.isArray(value.steps) ? value.steps : []) as unknown[];
  const expected = given.map((one) => named(matcherOf(one, "tool"), "trajectory:tool-sequence"));
  need(expected.length > 0, "trajectory:tool-sequence needs at least one step");
  let next = 0;
  for (const step of steps) if (expected[next] && matchesStep(step, expected[next] as Matcher)) next += 1;
  const isExact = !Array.isArray(value) && value.mode === "exact";
  const holds = isExact
    ? steps.length === expected.length && steps.every((step, index) => matchesStep(step, expected[index] as Matcher))
    : next === expected.length;
  return yesOrNo(holds, check, `the tools were used in this order: ${shown(steps)}`);
};

const stepCount: Checker = (check) => {
  const steps = trajectoryOf(traceOf(check));
  need(isMembers(check.value), "trajectory:step-count needs an object as its value");
  const matcher = matcherOf(check.value);
  const [min, max] = [matcher.min, matcher.max].map((one) => (typeof one === "number" ? one : undefined));
  need(min !== undefined || max !== undefined, "trajectory:step-count needs min, max or both");
  const count = steps.filter((step) => matchesStep(step, matcher)).length;
  const holds = (min === undefined || count >= min) && (max === undefined || count <= max);
  return yesOrNo(holds, check, `${count} steps match`);
};

function covers(actual: unknown, expected: unknown): boolean {
  if (Array.isArray(expected)) {
    return (
      Array.isArray(actual) &&
      actual.length === expected.length &&
      expected.every((one, index) => covers(actual[index], one))
    );
  }
  if (!isMembers(expected)) return isDeepStrictEqual(actual, expected);
  return (
    isMembers(actual) &&
    Object.entries(expected).every(([key, value]) => Object.hasOwn(actual, key) && covers(actual[key], value))
  );
}

const without = (value: unknown, drops: (key: string, member: unknown) => boolean): unknown =>
  isMembers(value) ? Object.fromEntries(Object.entries(value).filter(([key, member]) => !drops(key, member))) : value;

const argsMatch: Checker = (check) => {
  const steps = toolSteps(check);
  const { value } = check;
  need(isMembers(value), "trajectory:tool-args-match needs an object as its value");
  const matcher = named(matcherOf(value, "tool"), "trajectory:tool-args-match");
  const expected = Object.hasOwn(value, "args") ? value.args : value.arguments;
  need(expected !== undefined, "trajectory:tool-args-match needs args");
  const { mode = "partial", defaults = {}, ignore = [] } = value;
  need(mode === "partial" || mode === "exact", 'mode must be "partial" or "exact"');
  need(isMembers(defaults), "defaults must be an object");
  const ignored = (Array.isArray(ignore) ? ignore : [ignore]) as unknown[];
  need(
    ignored.every((one) => typeof one === "string" && one.trim() !== ""),
    "ignore must be a text or a list of texts",
  );
  const isIgnored = (key: string) =>
    ignored.some((one) => one === key || (/[*?]/.test(one as string) && matchesName(key, one as string)));
  const isDefault = (key: string, member: unknown) =>
    isIgnored(key) || (Object.hasOwn(defaults, key) && isDeepStrictEqual(member, defaults[key]));
  const wanted = without(expected, isIgnored);
  const matching = steps.filter((step) => matchesStep(step, matcher) && step.args !== undefined);
  const holds = matching.some(({ args }) => {
    const actual = without(args, isDefault);
    return mode === "exact" ? isDeepStrictEqual(actual, wanted) : covers(actual, wanted);
  });
  const seen = matching.map(({ args }) => JSON.stringify(args)).join(", ") || "none";
  return yesOrNo(holds, check, `the arguments were ${seen}`);
};

export const traceAssertions: Readonly<Record<string, Checker>> = {
  "trace-span-count": spanCount,
  "trace-span-duration": spanDuration,
  "trace-error-spans": errorSpans,
  "trajectory:tool-used": toolUsed,
  "trajectory:tool-sequence": toolSequence,
  "trajectory:step-count": stepCount,
  "trajectory:tool-args-match": argsMatch,
};
