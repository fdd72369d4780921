/**
 * Runs every check and every test, or only the chosen tests, with a short report.
 *
 * - `runTests({ root, bun, words, env, print })` resolves to the exit code.
 */
import { parseArguments } from "./arguments.mjs";
import { runChecks } from "./checks.mjs";
import { chooseChanged } from "./choose-changed.mjs";
import { isCovered, judgeCoverage } from "./coverage.mjs";
import { runTestFile } from "./run-file.mjs";
import { runJobs } from "./schedule.mjs";
import { isGreen, teller } from "./tell.mjs";
import { startTestCluster } from "./test-cluster.mjs";
import { findTestFiles, selectTestFiles } from "./test-files.mjs";
import { slowestFirst, writeTimings } from "./timings.mjs";

/**
 * @typedef {import("./tell.mjs").FileResult} FileResult
 * @typedef {import("./checks.mjs").CheckResult} CheckResult
 * @typedef {{ files: string[], unmatched: string[], distances: Map<string, number> }} Selection
 *
 * @param {{ root: string, bun: string, words: readonly string[], env: NodeJS.ProcessEnv, print(text: string): void }} options
 */
export async function runTests({ root, bun, words, env, print }) {
  const { paths, namePattern, changed, updates, limitMs } = parseArguments(words);
  const everything = paths.length === 0 && namePattern === undefined && !changed;
  const tell = teller(print);
  /** @type {Selection} */
  let selection = { ...selectTestFiles(findTestFiles(root), paths, root), distances: new Map() };
  if (changed) {
    const { line, ...chosen } = await chooseChanged({ root, bun, base: changed.base });
    print(`${line}\n`);
    if (chosen.files.length === 0) return tell.end({ checks: [], results: [], overall: [] });
    selection = { ...chosen, unmatched: [] };
  }
  const { files, unmatched } = selection;

  /** @type {CheckResult[]} */
  const checks = [];
  // In parallel with the tests: the tools mostly run in their own processes.
  const checking = everything ? runChecks({ root, bun, onCheck: tell.check }) : undefined;
  const gatherChecks = async () => void checks.push(...((await checking) ?? []));
  const cluster = files.length > 0 ? await startTestCluster({ root, bun }) : undefined;
  /** @type {FileResult[]} */
  const results = [];
  let leftOut = 0;
  try {
    const fileEnv = { ...env, NO_COLOR: "1", ...(cluster && { DEVFLOW_TEST_CLUSTER: cluster.description }) };
    const strict = env.CI === "true";
    const runFile = async (/** @type {string} */ file) => {
      const coverage = everything && isCovered(file);
      const options = { root, bun, env: fileEnv, namePattern, updates, limitMs, strict, coverage };
      const result = await runTestFile(file, options);
      results.push(result);
      if (namePattern !== undefined && result.passed + result.failed + result.problems.length === 0) return;
      tell.file(result);
    };
    for (const ring of ringsOf(slowestFirst(files, root), selection)) {
      // Once the near tests fail, the distant ones add nothing.
      if (results.every(isGreen)) await runJobs([gatherChecks, ...ring.map((file) => () => runFile(file))]);
      else leftOut += ring.length;
    }
    if (namePattern === undefined) writeTimings(root, results);
  } finally {
    await cluster?.stop();
  }
  const reports = results.flatMap(({ lcov }) => (lcov ? [lcov] : []));
  if (reports.length > 0) {
    const judged = judgeCoverage(root, reports);
    checks.push(judged);
    tell.check(judged);
  }
  if (leftOut > 0) print(`\nSkipped because tests they depend on failed: ${leftOut} test files.\n`);
  return tell.end({ checks, results, overall: overallProblems({ files, unmatched, results, namePattern }) });
}

/** By their distance to the change; one ring when there is none. @param {readonly string[]} files @param {Selection} selection */
function ringsOf(files, { distances }) {
  /** @type {string[][]} */
  const rings = [];
  for (const file of files) {
    const distance = distances.get(file) ?? 0;
    rings[distance] = [...(rings[distance] ?? []), file];
  }
  return rings.filter(Boolean);
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
