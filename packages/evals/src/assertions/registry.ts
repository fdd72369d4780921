/**
 * The table of all assertion types.
 *
 * - `assertionTypes` the names without `not-`; `isAssertionType(name)` also with it, and the special ones.
 * - `checkerOf(base)` how it is checked; `needsOf(base)` what it cannot do without.
 * - `ignoresNegation` types whose verdict `not-` does not change, as in promptfoo.
 */
import type { Checker } from "./assertion.ts";
import { codeAssertions } from "./types/code.ts";
import { hostedAssertions } from "./types/hosted.ts";
import { jsonAssertions } from "./types/json.ts";
import { judgedAssertions } from "./types/judged.ts";
import { markupAssertions } from "./types/markup.ts";
import { measureAssertions } from "./types/measures.ts";
import { overlapAssertions } from "./types/overlap.ts";
import { retrievalAssertions } from "./types/retrieval.ts";
import { textAssertions } from "./types/text.ts";
import { toolAssertions } from "./types/tools.ts";
import { traceAssertions } from "./types/traces.ts";

const families = {
  text: textAssertions,
  "word overlap": overlapAssertions,
  JSON: jsonAssertions,
  "XML, HTML and SQL": markupAssertions,
  measures: measureAssertions,
  tools: toolAssertions,
  traces: traceAssertions,
  code: codeAssertions,
  judged: judgedAssertions,
  retrieval: retrievalAssertions,
  hosted: hostedAssertions,
} as const;

const checkers: ReadonlyMap<string, Checker> = new Map(Object.values(families).flatMap((one) => Object.entries(one)));

export const assertionTypes: readonly string[] = [...checkers.keys()].sort();
/** They compare the outputs of one test, or only group other assertions; they cannot be negated. */
export const specialTypes = ["assert-set", "select-best", "max-score", "human"] as const;

export const baseTypeOf = (type: string): string => (type.startsWith("not-") ? type.slice(4) : type);

export function isAssertionType(type: string): boolean {
  return checkers.has(baseTypeOf(type)) || (specialTypes as readonly string[]).includes(type);
}

export function checkerOf(base: string): Checker | undefined {
  return checkers.get(base);
}

export type AssertionNeed =
  | "judge"
  | "embedding"
  | "classifier"
  | "moderation"
  | "trace"
  | "python"
  | "ruby"
  | "sql"
  | "pi";

const needs: Readonly<Record<string, readonly AssertionNeed[]>> = {
  ...Object.fromEntries(Object.keys(judgedAssertions).map((type) => [type, ["judge"] as const])),
  ...{ "context-recall": ["judge"], "context-relevance": ["judge"], "context-faithfulness": ["judge"] },
  ...{ "answer-relevance": ["judge", "embedding"], "trajectory:goal-success": ["judge", "trace"] },
  ...Object.fromEntries(
    ["similar", "similar:cosine", "similar:dot", "similar:euclidean"].map((type) => [type, ["embedding"] as const]),
  ),
  ...Object.fromEntries(Object.keys(traceAssertions).map((type) => [type, ["trace"] as const])),
  ...{ classifier: ["classifier"], moderation: ["moderation"], pi: ["pi"], python: ["python"], ruby: ["ruby"] },
  ...{ "is-sql": ["sql"], "contains-sql": ["sql"], "select-best": ["judge"] },
};

export function needsOf(type: string): readonly AssertionNeed[] {
  const base = baseTypeOf(type);
  return Object.hasOwn(needs, base) ? (needs[base] ?? []) : [];
}

const ignoring = new Set([
  ...[
    "factuality",
    "model-graded-factuality",
    "model-graded-closedqa",
    "pi",
    "trace-span-count",
    "trace-span-duration",
  ],
  ...["trace-error-spans", "is-valid-function-call", "is-valid-openai-function-call", "is-valid-openai-tools-call"],
]);

export const ignoresNegation = (type: string): boolean => type.startsWith("not-") && ignoring.has(baseTypeOf(type));
