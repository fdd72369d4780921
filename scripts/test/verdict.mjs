/**
 * Judges the run of a test file. `bun test` exits 0 when a test calls process.exit(0), when a file contains no test and when
 * all of them are skipped (seen on 1.4), so the exit code alone is never trusted.
 *
 * - `judgeFile(run)` counts, and the problems that no test reports. A skipped test needs a reason, in its name or printed by
 *   the testkit's `canRun` as `SKIPPED <what>: <reason>`; with CI=true it is a failure anyway.
 */
import { parseJunit } from "./junit.mjs";

/**
 * @typedef {object} FileRun
 * @property {string} file
 * @property {number | undefined} exitCode undefined when it was ended from outside
 * @property {string | undefined} report the junit report, when there is one
 * @property {string} output what it printed
 * @property {string | undefined} hung the time limit, if it was exceeded
 * @property {boolean} filtered only tests with a certain name were requested
 * @property {boolean} strict CI: a part that could not run is a failure
 * @property {boolean} [hasOnly] a `.only` was left in the file
 *
 * @typedef {object} FileVerdict
 * @property {string} file
 * @property {number} passed
 * @property {number} failed
 * @property {string[]} skipped names of tests that were skipped, with their reasons
 * @property {string[]} problems sentences; each counts as one failure
 *
 * @param {FileRun} run
 * @returns {FileVerdict}
 */
export function judgeFile({ file, exitCode, report, output, hung, filtered, strict, hasOnly = false }) {
  const tests = parseJunit(report ?? "");
  const failed = tests.filter(({ outcome }) => outcome === "failed").length;
  const passed = tests.filter(({ outcome }) => outcome === "passed").length;
  // With a name filter Bun reports all other tests as skipped.
  const skipped = filtered ? [] : tests.filter(({ outcome }) => outcome === "skipped").map(({ name }) => name);
  const told = /^SKIPPED (.+: .+)$/m.exec(output)?.[1];
  const reasonOf = (/** @type {string} */ name) => /\(skipped: ([^)]+)\)/.exec(name)?.[1] ?? told;
  const problems = [];

  if (hung) problems.push(`did not finish within ${hung} and was ended`);
  else if (exitCode === 0 && report === undefined && !filtered && failed === 0) {
    problems.push("ended with exit code 0 but without a report: it contains no test, or a test ended the process");
  } else if (exitCode !== 0 && failed === 0 && !(filtered && passed + failed === 0)) {
    problems.push(`exit code ${exitCode ?? "none"}, though no test in it failed: it failed outside a test`);
  } else if (passed + failed === 0 && !filtered && !told) problems.push("no test in it was executed");

  for (const name of skipped) {
    if (!reasonOf(name))
      problems.push(
        `"${name}" is skipped without a reason: give it in the name, "… (skipped: why)", or use canRun of the testkit`,
      );
    else if (strict) problems.push(`"${name}" did not run, which is a failure with CI=true`);
  }
  if (hasOnly) problems.push("it contains `.only`, so its other tests did not run");
  const excused = strict ? [] : skipped.filter(reasonOf);
  return { file, passed, failed, skipped: excused.map((name) => withReason(name, reasonOf(name))), problems };
}

/** @param {string} name @param {string | undefined} reason */
function withReason(name, reason) {
  return name.includes("(skipped: ") ? name : `${name} (${reason})`;
}
