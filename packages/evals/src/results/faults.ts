/**
 * Describes the errors in a file: where, what was expected, what was found.
 *
 * - `faultsOf(schema, value, path)` empty if the value is valid.
 * - `describeFaults(source, faults)` the error that lists them.
 */
import { DevflowError } from "@devflow/core/errors";
import type { z } from "zod";

export interface Fault {
  /** `all_results[3].judge_scores.accuracy`, or `line 7: usage[0].model`. */
  readonly path: string;
  readonly problem: string;
  /** The record's member that contains the error, so that only that member is left out. */
  readonly member: string | null;
}

export function faultsOf(schema: z.ZodType, value: unknown, path: string): Fault[] {
  const parsed = schema.safeParse(value);
  if (parsed.success) return [];
  return parsed.error.issues.flatMap((issue) => issueFaults(issue, value, path, []));
}

function issueFaults(
  issue: z.core.$ZodIssue,
  root: unknown,
  path: string,
  above: readonly PropertyKey[],
): readonly Fault[] {
  const steps = [...above, ...issue.path];
  if (issue.code === "invalid_union") {
    // Report the alternative that matched best.
    const furthest = issue.errors
      .map((issues) => issues.flatMap((one) => issueFaults(one, root, path, steps)))
      .sort((a, b) => depthOf(b) - depthOf(a))[0];
    if (furthest && depthOf(furthest) > steps.length) return furthest;
  }
  const found = steps.reduce<unknown>(
    (value, step) => (value as Record<PropertyKey, unknown> | undefined)?.[step],
    root,
  );
  const member = typeof steps[0] === "string" ? steps[0] : null;
  return [{ path: joinPath(path, steps), problem: `expected ${expectation(issue)}, found ${shown(found)}`, member }];
}

const depthOf = (faults: readonly Fault[]): number =>
  Math.max(0, ...faults.map(({ path }) => path.split(/[.[]/).length));

function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return words[issue.expected] ?? issue.expected;
    case "invalid_value":
      return issue.values.length === 1
        ? JSON.stringify(issue.values[0])
        : `one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
    case "too_small":
      return issue.origin === "string" ? "a non-empty string" : `at least ${issue.minimum}`;
    case "too_big":
      return issue.origin === "string" ? `at most ${issue.maximum} characters` : `at most ${issue.maximum}`;
    case "invalid_format":
      return issue.format === "datetime" ? "a time such as 2026-03-15T10:30:00Z" : `a ${issue.format}`;
    case "invalid_union":
      return "one of the allowed forms (a string or an object)";
    default:
      return issue.message;
  }
}

const words: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a finite number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  const written = typeof value === "number" ? String(value) : (JSON.stringify(value) ?? typeof value);
  return written.length > 60 ? `${written.slice(0, 57)}…` : written;
}

function joinPath(path: string, steps: readonly PropertyKey[]): string {
  return steps.reduce<string>((joined, step) => {
    if (typeof step === "number") return `${joined}[${step}]`;
    const separator = joined === "" || joined.endsWith(": ") ? "" : ".";
    return `${joined}${separator}${String(step)}`;
  }, path);
}

export function describeFaults(source: string, faults: readonly Fault[], more: number, next: string): DevflowError {
  const listed = faults.map(({ path, problem }) => `  ${path}: ${problem}`);
  if (more > 0) listed.push(`  … and ${more} more`);
  const count = faults.length + more;
  return new DevflowError("input_invalid", {
    details: {
      problem: `${source} has ${count} error${count === 1 ? "" : "s"}:\n${listed.join("\n")}`,
      next,
      faults: faults.map(({ path, problem }) => ({ path, problem })),
      count,
    },
  });
}
