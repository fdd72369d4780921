/** JUnit XML for CI, with the expected and the actual value of each failure. */
import type { EvalFailure, EvalResult, EvalRun } from "../../results/result.ts";
import { asText, type Exporter } from "./exporter.ts";

export const junitExport: Exporter = {
  id: "junit",
  title: "JUnit XML",
  extension: ".junit.xml",
  carried: [
    "verdicts, with ERROR distinguished from FAIL; every failure with expected and actual, scores as properties, time, output as system-out",
  ],
  lost: [
    "inputs (their hash is kept)",
    "tokens and cost",
    "usage, comparison and extra members",
    "characters that XML cannot represent",
  ],
  async *write(run, results) {
    yield opening(run);
    for await (const result of results) yield testCase(result);
    yield "  </testsuite>\n</testsuites>\n";
  },
};

function opening(run: EvalRun): string {
  const { total, failed, errors, skipped } = run.totals;
  const seconds = run.durationMs === null ? "" : ` time="${run.durationMs / 1000}"`;
  const counts = `tests="${total}" failures="${failed}" errors="${errors}" skipped="${skipped}"${seconds}`;
  const host = run.host === null ? "" : ` hostname="${attribute(run.host)}"`;
  const properties = {
    "devflow.run_id": run.runId,
    "devflow.suite": run.suite,
    "devflow.label": run.label,
    "devflow.model": run.model,
    "devflow.git_sha": run.gitSha,
    "devflow.git_branch": run.gitBranch,
  };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${attribute(run.suite)}" ${counts}>`,
    `  <testsuite name="${attribute(run.label)}" ${counts} timestamp="${attribute(run.at)}"${host}>`,
    ...propertyLines(properties, "    "),
    "",
  ].join("\n");
}

function testCase(result: EvalResult): string {
  const time = result.durationMs === null ? "" : ` time="${result.durationMs / 1000}"`;
  const repeat = result.repeat === 0 ? "" : ` (repeat ${result.repeat + 1})`;
  const scores = Object.fromEntries(Object.entries(result.scores).map(([name, score]) => [`score.${name}`, score]));
  const properties = {
    "devflow.name": result.name,
    "devflow.status": result.status,
    "devflow.repeat": result.repeat,
    "devflow.category": result.category,
    "devflow.input_sha": result.inputSha,
    "devflow.expectations_sha": result.expectationsSha,
    ...scores,
  };
  const output = asText(result.output);
  return [
    `    <testcase classname="${attribute(result.category ?? "")}" name="${attribute(result.name)}${repeat}"${time}>`,
    ...propertyLines(properties, "      "),
    ...outcome(result),
    ...(output === "" ? [] : [`      <system-out>${content(output)}</system-out>`]),
    "    </testcase>",
    "",
  ].join("\n");
}

function outcome(result: EvalResult): string[] {
  switch (result.status) {
    case "pass":
      return [];
    case "skipped":
      return [`      <skipped message="${attribute(result.error ?? "")}"/>`];
    case "error": {
      const message = result.error ?? "did not run";
      return [`      <error message="${attribute(firstLine(message))}" type="error">${content(message)}</error>`];
    }
    case "fail":
      return (result.failures.length > 0 ? result.failures : [noReason]).map((failure) =>
        failureElement(failure, result),
      );
  }
}

const noReason: EvalFailure = {
  type: "deterministic",
  expectationType: null,
  message: "failed without a reason",
  criterion: null,
  expected: null,
  actual: null,
  details: null,
  scores: null,
};

function failureElement(failure: EvalFailure, result: EvalResult): string {
  const scores = Object.entries(failure.scores ?? {}).map(([name, score]) => `score ${name}: ${score}`);
  const lines = [
    failure.message,
    `expected: ${oneLine(asText(failure.expected)) || "(not given)"}`,
    `actual: ${oneLine(asText(failure.actual ?? result.output)) || "(nothing)"}`,
    ...scores,
  ];
  const type = failure.expectationType ?? failure.type;
  return `      <failure message="${attribute(firstLine(failure.message))}" type="${attribute(type)}">${content(lines.join("\n"))}</failure>`;
}

function propertyLines(properties: Readonly<Record<string, string | number | null>>, indent: string): string[] {
  const given = Object.entries(properties).filter(([, value]) => value !== null);
  if (given.length === 0) return [];
  const lines = given.map(
    ([name, value]) => `${indent}  <property name="${attribute(name)}" value="${attribute(String(value))}"/>`,
  );
  return [`${indent}<properties>`, ...lines, `${indent}</properties>`];
}

function oneLine(words: string): string {
  const line = words.replace(/\r?\n/g, "⏎");
  return line.length > 2000 ? `${line.slice(0, 1999).toWellFormed()}…` : line;
}

function firstLine(words: string): string {
  return words.split("\n", 1)[0] ?? words;
}

/** Unescaped line breaks in an attribute would be read back as spaces. */
function attribute(words: string): string {
  return escaped(words).replaceAll("\n", "&#10;").replaceAll("\r", "&#13;").replaceAll("\t", "&#9;");
}

function content(words: string): string {
  return escaped(words).replaceAll("\r", "&#13;");
}

function escaped(words: string): string {
  return (
    words
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 has no way to write these.
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
  );
}
