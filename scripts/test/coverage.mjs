/**
 * Line coverage of the most critical packages: at least 70 % of the lines of each.
 *
 * - `isCovered(file)` a test file whose run is counted.
 * - `judgeCoverage(root, reports)` the lcov reports of all files, merged, as a check with its figures.
 *
 * A source file that no test loads counts with all its lines. Bun measures only `bun test` itself: it has no option for programs
 * that a test starts, and ignores NODE_V8_COVERAGE. So the true figures are higher, and what runs only in such a program, the
 * holders of real agents, is left out: the scenarios of `packages/session/tests` run each of them with its agent.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

const packages = ["packages/core", "packages/session", "packages/runs"];
const inHolders = /^packages\/session\/src\/(acp|claude|codex|holder|tmux)\//;
const least = 70;

/** @param {string} file */
export const isCovered = (file) => packages.some((one) => file.startsWith(`${one}/`));

/**
 * @param {string} root
 * @param {readonly string[]} reports
 * @returns {import("./checks.mjs").CheckResult}
 */
export function judgeCoverage(root, reports) {
  const seen = mergeReports(root, reports);
  const figures = packages.map((name) => {
    let lines = 0;
    let covered = 0;
    for (const file of sourceFiles(root, `${name}/src`).filter((one) => !inHolders.test(one))) {
      const known = seen.get(file);
      lines += known?.size ?? linesOfCode(join(root, file));
      covered += [...(known?.values() ?? [])].filter((hits) => hits > 0).length;
    }
    return { name, percent: lines === 0 ? 0 : (covered / lines) * 100 };
  });
  const told = figures
    .map(({ name, percent }) => `${name.replace("packages/", "")} ${percent.toFixed(1)} %`)
    .join(", ");
  const low = figures.filter(({ percent }) => percent < least);
  const detail = low.map(
    ({ name, percent }) => `${name}: ${percent.toFixed(1)} % of the lines; at least ${least} % are required`,
  );
  return { name: `coverage of lines: ${told}`, ok: low.length === 0, detail: detail.join("\n"), ms: 0 };
}

/** File → line → hits. @param {string} root @param {readonly string[]} reports */
function mergeReports(root, reports) {
  /** @type {Map<string, Map<number, number>>} */
  const merged = new Map();
  for (const report of reports) {
    /** @type {Map<number, number>} */
    let lines = new Map();
    for (const row of report.split("\n")) {
      if (row.startsWith("SF:")) {
        const path = row.slice(3);
        const file = path.startsWith("/") ? relative(root, path) : path;
        lines = merged.get(file) ?? new Map();
        merged.set(file, lines);
      } else if (row.startsWith("DA:")) {
        const [line = 0, hits = 0] = row.slice(3).split(",").map(Number);
        lines.set(line, (lines.get(line) ?? 0) + hits);
      }
    }
  }
  return merged;
}

/** @param {string} root @param {string} folder @returns {string[]} */
function sourceFiles(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((one) => {
    const path = `${folder}/${one.name}`;
    if (one.isDirectory()) return one.name === "testing" ? [] : sourceFiles(root, path);
    return /\.ts$/.test(one.name) && !/\.(test|d)\.ts$/.test(one.name) ? [path] : [];
  });
}

/** @param {string} path */
function linesOfCode(path) {
  const code = readFileSync(path, "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
  // A file with only types and re-exports has nothing to run.
  if (!/=>|function |const |class /.test(code)) return 0;
  return code.split("\n").filter((line) => line.trim() !== "" && !line.trim().startsWith("//")).length;
}
