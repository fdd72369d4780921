/**
 * What of a suite cannot be run, or runs otherwise than its author may expect. Known before anything starts.
 *
 * - `suiteProblems(config, parts)` of the suite itself.
 * - `assertionProblems(test, providers)` of the assertions of a test.
 */

import { nearest } from "@devflow/core/nearest";
import {
  type Assertion,
  assertionTypes,
  ignoresNegation,
  isAssertionType,
  needsOf,
  specialTypes,
} from "../assertions/index.ts";
import { isAllowed } from "./plan-suite.ts";
import { isMembers, type Members, type SuitePrompt, type SuiteProvider, type SuiteTest } from "./suite.ts";

export interface Problem {
  readonly refusal?: string;
  readonly warning?: string;
}

const refused: Readonly<Record<string, string>> = {
  redteam: "red-team suites generate their tests with a hosted service",
  extensions: "extensions are functions that change the run while it runs",
  nunjucksFilters: "filters of templates are functions that cannot be called from a template here",
};
const ignored: Readonly<Record<string, string>> = {
  derivedMetrics: "derivedMetrics are not computed; verdicts do not depend on them",
  outputPath: "outputPath is not used; give -o <file>",
  sharing: "sharing is not used; results stay on this machine",
  tracing: "tracing is not received here; a script provider can return trace: { spans } instead",
};

export function suiteProblems(
  config: Members,
  { prompts, providers }: { prompts: readonly SuitePrompt[]; providers: readonly SuiteProvider[] },
): { refusals: string[]; warnings: string[] } {
  const has = (name: string): boolean => {
    const value = config[name];
    if (value === undefined || value === null || value === false) return false;
    return Array.isArray(value) ? value.length > 0 : !isMembers(value) || Object.keys(value).length > 0;
  };
  const remote = prompts.filter(({ raw }) => /^(?:portkey|langfuse|helicone):\/\//.test(raw));
  return {
    refusals: [
      ...Object.entries(refused).flatMap(([name, why]) => (has(name) ? [`${name}: ${why}`] : [])),
      ...remote.map(({ raw }) => `the prompt ${raw} is kept by a hosted service`),
      ...(providers.length === 0 ? ["the suite has no providers"] : []),
    ],
    warnings: Object.entries(ignored).flatMap(([name, why]) => (has(name) ? [why] : [])),
  };
}

export function assertionProblems(test: SuiteTest, providers: readonly SuiteProvider[]): Problem[] {
  return test.assert.flatMap((one) => problemsOf(one, test, providers));
}

/** A test that names a prompt which does not exist would silently not run. */
export function promptProblems({ prompts: named = [], source }: SuiteTest, prompts: readonly SuitePrompt[]): Problem[] {
  return named
    .filter((one) => !prompts.some((prompt) => isAllowed(prompt, [one])))
    .map((one) => ({ refusal: `${source} names the prompt "${one}", which does not exist` }));
}

function problemsOf(assertion: Assertion, test: SuiteTest, providers: readonly SuiteProvider[]): Problem[] {
  const { type } = assertion;
  if (type === "assert-set") return (assertion.assert ?? []).flatMap((one) => problemsOf(one, test, providers));
  if (!isAssertionType(type)) return [{ refusal: unknown(type) }];
  if (type === "human")
    return [{ refusal: "human: a person grades these in promptfoo's viewer; use devflow eval label" }];
  const needed = needsOf(type);
  if (needed.includes("pi")) return [{ refusal: "pi: only the service of Pi Labs scores it" }];
  const problems: Problem[] = [];
  if (needed.includes("trace") && !providers.some(({ id }) => isScriptProvider(id))) {
    problems.push({
      refusal: `${type}: needs a trace, which only providers that are scripts can return (trace: { spans })`,
    });
  }
  for (const kind of ["classifier", "moderation"] as const) {
    if (needed.includes(kind) && !hasProvider(assertion, test, kind === "classifier" ? "classification" : kind)) {
      problems.push({ refusal: `${type}: needs a provider of its own, such as file://classify.js` });
    }
  }
  if (type === "agent-rubric" || type === "search-rubric") {
    if (!hasProvider(assertion, test, "text"))
      problems.push({
        refusal: `${type}: needs a provider of its own that can ${type === "agent-rubric" ? "run tools" : "search the web"}`,
      });
  }
  if (ignoresNegation(type))
    problems.push({ warning: `${type} has the verdict of ${type.slice(4)}: promptfoo does not negate it` });
  return problems;
}

export const isScriptProvider = (id: string): boolean =>
  /^(?:file:\/\/|python:)|\.(?:py|[cm]?[jt]s)(?::\w+)?$/.test(id);

function hasProvider(assertion: Assertion, { options }: SuiteTest, kind: string): boolean {
  return [assertion.provider, options.provider].some((given) => {
    if (!given) return false;
    if (typeof given === "string") return true;
    return isMembers(given) && ("id" in given || kind in given);
  });
}

function unknown(type: string): string {
  const base = type.startsWith("not-") ? type.slice(4) : type;
  const meant = nearest(base, [...assertionTypes, ...specialTypes]);
  if (type.startsWith("promptfoo:redteam:")) return `${type}: red-team assertions are graded by a hosted service`;
  return `unknown assertion "${type}"${meant ? `; did you mean ${type === base ? "" : "not-"}${meant}?` : ""}`;
}
