/**
 * Every check and every test, told briefly: one line per file while it runs, failures in full at the end, and
 * last of all one line `N passed, N failed`.
 *
 * - `runTests({ root, bun, words, env, print })` resolves to the exit code.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArguments } from "./arguments.mjs";
import { runChecks } from "./checks.mjs";
import { isCovered, judgeCoverage } from "./coverage.mjs";
import { runTestFile } from "./run-file.mjs";
import { startTestCluster } from "./test-cluster.mjs";
import { findTestFiles, selectTestFiles } from "./test-files.mjs";

/**
 * @typedef {Awaited<ReturnType<typeof runTestFile>>} FileResult
 * @param {{ root: string, bun: string, words: readonly string[], env: NodeJS.ProcessEnv, print(text: string): void }} options
 */
export async function runTests({ root, bun, words, env, print }) {
  const { paths, namePattern, limitMs } = parseArguments(words);
  const everything = paths.length === 0 && namePattern === undefined;
  const { files, unmatched } = selectTestFiles(findTestFiles(root), paths, root);
  const say = (/** @type {boolean} */ ok, /** @type {number} */ ms, /** @type {string} */ text) =>
    print(`${ok ? "  ok  " : "  FAIL"} ${(ms / 1000).toFixed(1).padStart(6)} s  ${text}\n`);

  const checks = everything
    ? await runChecks({ root, bun, onCheck: ({ ok, ms, name }) => say(ok, ms, `check: ${name}`) })
    : [];
  const cluster = files.length > 0 ? await startTestCluster({ root, bun }) : undefined;
  /** @type {FileResult[]} */
  const results = [];
  try {
    const known = readTimings(root);
    const fileEnv = { ...env, NO_COLOR: "1", ...(cluster && { DEVFLOW_TEST_CLUSTER: cluster.description }) };
    const strict = env.CI === "true";
    await forEachAtOnce(slowestFirst(files, known), concurrency(), async (file) => {
      const coverage = everything && isCovered(file);
      const result = await runTestFile(file, { root, bun, env: fileEnv, namePattern, limitMs, strict, coverage });
      results.push(result);
      if (namePattern !== undefined && result.passed + result.failed + result.problems.length === 0) return;
      say(isGreen(result), result.ms, `${file}  ${countsOf(result)}`);
      if (!isGreen(result)) print(reasonsOf(result));
    });
    if (namePattern === undefined) writeTimings(root, known, results);
  } finally {
    await cluster?.stop();
  }
  const reports = results.flatMap(({ lcov }) => (lcov ? [lcov] : []));
  if (reports.length > 0) {
    const judged = judgeCoverage(root, reports);
    checks.push(judged);
    say(judged.ok, judged.ms, `check: ${judged.name}`);
  }
  const overall = overallProblems({ files, unmatched, results, namePattern });
  return tellResults({ checks, results, overall, print });
}

/** @param {{ files: string[], unmatched: string[], results: FileResult[], namePattern: string | undefined }} run */
function overallProblems({ files, unmatched, results, namePattern }) {
  const problems = unmatched.map((path) => `No test file matches ${path}.`);
  if (files.length === 0 && unmatched.length === 0) problems.push("No test file was found.");
  if (namePattern !== undefined && files.length > 0 && results.every(({ passed, failed }) => passed + failed === 0)) {
    problems.push(`No test has a name that matches ${namePattern}.`);
  }
  return problems;
}

/**
 * @param {{ checks: import("./checks.mjs").CheckResult[], results: FileResult[], overall: string[], print(text: string): void }} run
 */
function tellResults({ checks, results, overall, print }) {
  for (const { name, detail } of checks.filter(({ ok }) => !ok)) print(`\n--- check: ${name}\n${detail.trimEnd()}\n`);
  for (const result of results.filter((one) => !isGreen(one))) print(failureOf(result));
  for (const problem of overall) print(`\n--- ${problem}\n`);
  const skipped = results.flatMap((one) => one.skipped.map((name) => `${one.file}: ${name}`));
  if (skipped.length > 0) print(`\nSkipped:\n${skipped.map((one) => `  ${one}\n`).join("")}`);

  const sum = (/** @type {(one: FileResult) => number} */ count) => results.reduce((all, one) => all + count(one), 0);
  const passed = checks.filter(({ ok }) => ok).length + sum((one) => one.passed);
  const failed =
    checks.filter(({ ok }) => !ok).length + overall.length + sum((one) => one.failed + one.problems.length);
  print(`\n${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ""}\n`);
  return failed === 0 ? 0 : 1;
}

/** At once and short, since a log may be cut before its end. @param {FileResult} result */
function reasonsOf({ output }) {
  const lines = talkOf(output);
  const reasons = lines.flatMap((line, index) =>
    line.startsWith("(fail)") ? lines.slice(Math.max(0, index - 15), index + 1) : [],
  );
  return reasons.map((line) => `         ${line}\n`).join("");
}

/** What is left without the tests that passed. @param {string} output */
const talkOf = (output) => output.split("\n").filter((line) => !/^\((pass|skip|todo)\)|^bun test v/.test(line));

/** @param {FileResult} result */
function failureOf({ file, problems, output }) {
  const lines = talkOf(output);
  const shown = lines.length > 400 ? [...lines.slice(0, 100), "…", ...lines.slice(-300)] : lines;
  const said = problems.map((problem) => `${file} ${problem}\n`).join("");
  return `\n--- ${file}\n${said}${shown.join("\n").trim()}\n`;
}

/** @param {FileResult} result */
const isGreen = ({ failed, problems }) => failed === 0 && problems.length === 0;

/** @param {FileResult} result */
function countsOf({ passed, failed, skipped, problems }) {
  const parts = [`${passed} passed`];
  if (failed > 0) parts.push(`${failed} failed`);
  if (skipped.length > 0) parts.push(`${skipped.length} skipped`);
  return [...parts, ...problems].join(", ");
}

/** Two at a time on a small machine: browser and Postgres tests wait more than they compute. */
function concurrency() {
  return Math.min(4, Math.max(2, availableParallelism()));
}

/**
 * @template T
 * @param {readonly T[]} items
 * @param {number} atOnce
 * @param {(item: T) => Promise<void>} work
 */
async function forEachAtOnce(items, atOnce, work) {
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** The longest file started last would run alone at the end. @param {string[]} files @param {Record<string, number>} known */
function slowestFirst(files, known) {
  return [...files].sort((a, b) => (known[b] ?? 0) - (known[a] ?? 0));
}

const timingsOf = (/** @type {string} */ root) => join(root, ".cache", "test-timings.json");

/** @param {string} root @returns {Record<string, number>} */
function readTimings(root) {
  try {
    return JSON.parse(readFileSync(timingsOf(root), "utf8"));
  } catch {
    return {};
  }
}

/** @param {string} root @param {Record<string, number>} known @param {FileResult[]} results */
function writeTimings(root, known, results) {
  const measured = Object.fromEntries(results.map(({ file, ms }) => [file, ms]));
  mkdirSync(join(root, ".cache"), { recursive: true });
  writeFileSync(timingsOf(root), JSON.stringify({ ...known, ...measured }, undefined, 1));
}
