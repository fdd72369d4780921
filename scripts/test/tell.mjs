/**
 * The output of a run: a line per check and file while it runs, failures in full at the end, and finally
 * `N passed, N failed`.
 *
 * - `teller(print)` → `check(result)`, `file(result)`, `end(run)`; the last returns the exit code.
 */

/**
 * @typedef {Awaited<ReturnType<typeof import("./run-file.mjs").runTestFile>>} FileResult
 * @typedef {import("./checks.mjs").CheckResult} CheckResult
 *
 * @param {(text: string) => void} print
 */
export function teller(print) {
  const line = (/** @type {boolean} */ ok, /** @type {number} */ ms, /** @type {string} */ text) =>
    print(`${ok ? "  ok  " : "  FAIL"} ${(ms / 1000).toFixed(1).padStart(6)} s  ${text}\n`);
  return {
    /** @param {CheckResult} check */
    check: ({ ok, ms, name }) => line(ok, ms, `check: ${name}`),
    /** @param {FileResult} result */
    file(result) {
      line(isGreen(result), result.ms, `${result.file}  ${countsOf(result)}`);
      if (!isGreen(result)) print(reasonsOf(result));
    },
    /** @param {{ checks: readonly CheckResult[], results: readonly FileResult[], overall: readonly string[] }} run */
    end({ checks, results, overall }) {
      for (const { name, detail } of checks.filter(({ ok }) => !ok))
        print(`\n--- check: ${name}\n${detail.trimEnd()}\n`);
      for (const result of results.filter((one) => !isGreen(one))) print(failureOf(result));
      for (const problem of overall) print(`\n--- ${problem}\n`);
      const skipped = results.flatMap((one) => one.skipped.map((name) => `${one.file}: ${name}`));
      if (skipped.length > 0) print(`\nSkipped:\n${skipped.map((one) => `  ${one}\n`).join("")}`);

      const sum = (/** @type {(one: FileResult) => number} */ count) =>
        results.reduce((all, one) => all + count(one), 0);
      const passed = checks.filter(({ ok }) => ok).length + sum((one) => one.passed);
      const failed =
        checks.filter(({ ok }) => !ok).length + overall.length + sum((one) => one.failed + one.problems.length);
      print(`\n${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ""}\n`);
      return failed === 0 ? 0 : 1;
    },
  };
}

/** @param {FileResult} result */
export const isGreen = ({ failed, problems }) => failed === 0 && problems.length === 0;

/** @param {FileResult} result */
function countsOf({ passed, failed, skipped, problems }) {
  const parts = [`${passed} passed`];
  if (failed > 0) parts.push(`${failed} failed`);
  if (skipped.length > 0) parts.push(`${skipped.length} skipped`);
  return [...parts, ...problems].join(", ");
}

/** Immediately and short, because a log may be truncated. @param {FileResult} result */
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
