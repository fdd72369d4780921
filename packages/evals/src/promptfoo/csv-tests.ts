/**
 * Tests from the rows of a table.
 *
 * - `testFromRow(row)` columns are variables; `__expected…` are assertions, and other names with two underscores set what a
 *   test has besides variables.
 * An assertion is one text there: `contains: word`, `similar(0.8): …`, `javascript: …`, or a text to equal.
 */
import { type Assertion, assertionTypes, separated } from "../assertions/index.ts";
import { SuiteFault } from "./suite.ts";

const withThreshold = new Set([
  ..."answer-relevance classifier context-faithfulness context-recall context-relevance cost latency levenshtein".split(
    " ",
  ),
  ..."perplexity-score perplexity rouge-n similar starts-with".split(" "),
]);
const typed = new RegExp(
  `^(not-)?(${assertionTypes.toSorted((a, b) => b.length - a.length).join("|")})(?:\\((\\d+(?:\\.\\d+)?)\\))?(?::([\\s\\S]*))?$`,
);
const isScriptFile = (text: string): boolean => /^file:\/\/.*\.[cm]?[jt]s(?::\w+)?$/.test(text);

function assertionFrom(text: string): Assertion {
  const code = /^(?:javascript|fn|eval):/.exec(text)?.[0];
  if (code !== undefined) return { type: "javascript", value: text.slice(code.length).trim() };
  if (isScriptFile(text)) return { type: "javascript", value: text };
  const graded = /^(?:grade|llm-rubric):/.exec(text)?.[0];
  if (graded !== undefined) return { type: "llm-rubric", value: text.slice(graded.length) };
  if (text.startsWith("python:")) return { type: "python", value: text.slice(7).trim() };
  if (/^file:\/\/.*\.py(?::\w+)?$/.test(text)) return { type: "python", value: text };
  const found = typed.exec(text);
  if (!found) return { type: "equals", value: text };
  const [, negation = "", base = "", threshold, value] = found;
  const type = negation + base;
  if (/^i?contains-(?:all|any)$/.test(base)) return { type, value: value ? separated(value) : value };
  if (base === "contains-json" || base === "is-json") return { type, value };
  if (!withThreshold.has(base)) return { type, value: value?.trim() };
  return { type, value: value?.trim(), threshold: finite(threshold) ?? (base === "similar" ? 0.8 : 0.75) };
}

function finite(text: string | undefined): number | undefined {
  const trimmed = text?.trim() ?? "";
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed) ? Number(trimmed) : undefined;
}

export function testFromRow(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const vars: Record<string, unknown> = {};
  const asserts: Record<string, unknown>[] = [];
  const options: Record<string, unknown> = {};
  const metadata: Record<string, unknown> = {};
  const thresholds = new Map<number, number>();
  const test: Record<string, unknown> = { vars, assert: asserts, options };
  let metric: string | undefined;
  for (const [name, given] of Object.entries(row)) {
    const key = name.trim();
    const value = typeof given === "string" ? given : given === undefined || given === null ? "" : given;
    const text = String(value);
    if (key.startsWith("__expected")) {
      if (text.trim() !== "") asserts.push({ ...assertionFrom(text.trim()) });
    } else if (key === "__prefix" || key === "__suffix") options[key.slice(2)] = text;
    else if (key === "__description" || key === "__providerOutput") {
      if (text !== "") test[key.slice(2)] = text;
    } else if (key === "__metric") metric = text;
    else if (key === "__threshold") {
      if (finite(text) !== undefined) test.threshold = finite(text);
    } else if (key.startsWith("__metadata:")) addMetadata(metadata, key.slice("__metadata:".length), text);
    else if (key === "__metadata") continue;
    else if (key.startsWith("__config:")) {
      const [index, threshold] = configOf(key, text);
      thresholds.set(index, threshold);
    } else vars[key] = value;
  }
  for (const [index, assertion] of asserts.entries()) {
    if (metric !== undefined) assertion.metric = metric;
    const threshold = thresholds.get(index);
    if (threshold === undefined) continue;
    assertion.threshold = threshold;
    metadata.threshold = threshold;
  }
  if (Object.keys(metadata).length > 0) test.metadata = metadata;
  return test;
}

function addMetadata(metadata: Record<string, unknown>, name: string, text: string): void {
  if (text.trim() === "") return;
  if (!name.endsWith("[]")) metadata[name] = text;
  else metadata[name.slice(0, -2)] = text.split(/(?<!\\),/).map((one) => one.trim().replaceAll("\\,", ","));
}

/** `__config:__expected2:threshold`. */
function configOf(key: string, text: string): [number, number] {
  const found = /^__config:__expected(\d*):threshold$/.exec(key);
  const threshold = finite(text);
  if (!found || (found[1] !== "" && Number(found[1]) < 1))
    throw new SuiteFault(`the column ${key} is not known; use __config:__expected<N>:threshold`);
  if (threshold === undefined) throw new SuiteFault(`the column ${key} has "${text}", which is not a number`);
  return [found[1] === "" ? 0 : Number(found[1]) - 1, threshold];
}
