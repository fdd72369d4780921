/**
 * The duration of each test file in the last run, so that the slowest start first: a slow one started last would run alone
 * at the end.
 *
 * - `slowestFirst(files, root)` by the times of this clone, or, if it has none, by those in `slow-files.json`.
 * - `writeTimings(root, results)` keeps the times of these files for the next run.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Seconds on two cores, roughly. Other files take a moment. */
const usual = new URL("./slow-files.json", import.meta.url);

/** @param {readonly string[]} files @param {string} root */
export function slowestFirst(files, root) {
  const seconds = readTimes(usual);
  const measured = readTimes(timingsOf(root));
  const ms = (/** @type {string} */ file) => measured[file] ?? (seconds[file] ?? 0) * 1000;
  return [...files].sort((a, b) => ms(b) - ms(a));
}

/** @param {string} root @param {readonly { file: string, ms: number }[]} results */
export function writeTimings(root, results) {
  const measured = Object.fromEntries(results.map(({ file, ms }) => [file, ms]));
  mkdirSync(join(root, ".cache"), { recursive: true });
  const text = JSON.stringify({ ...readTimes(timingsOf(root)), ...measured }, undefined, 1);
  writeFileSync(timingsOf(root), text);
}

const timingsOf = (/** @type {string} */ root) => join(root, ".cache", "test-timings.json");

/** @param {string | URL} file @returns {Record<string, number>} */
function readTimes(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return {};
  }
}
